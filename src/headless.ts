import { join } from 'node:path';
import { runHeadless } from './host/headless';
import { readArgs } from './host/headlessArgs';

const USAGE = `usage: headless COMMAND --workspace DIR --state DIR [options]
  run     --task TEXT | --task-file FILE, --base-url URL --model ID [--style room] [--mode ask|edits|auto]
          [--limit steps=N,minutes=N,tokens=N,usd=N] [--size MIN,MAX] [--parallel N]
          [--price INPUT,OUTPUT[,CACHED] in US dollars per million tokens]
  resume  go on with what was interrupted (--decline: end it)
  send    --text TEXT [--to NAME]
  stop    --name NAME | all
  accept  --name MEMBER: its report is in order
  request-changes  --name MEMBER --text TEXT
  undo    one of --name NAME [--path PATH [--hunk ID]] --all --undo ID (of an undo)
  answer  --ask ID, one of --allow --allow-run --deny WORDS --reply TEXT --raise N --end
  state   the reduced state as JSON
  export  the conversation and the room as Markdown, or all events with --format jsonl
options: [--session ID] [--resume ask|auto|never] [--events: one JSON event a line]
         [--take-over: also while another process works on this workspace; its runs are interrupted]
The key is read from TEAMROOM_API_KEY.
exit: 0 finished, 1 failed, 2 bad usage, 3 waiting for a person, 130 or 143 told to end (resume goes on)`;

async function main(): Promise<number> {
  const args = readArgs(process.argv.slice(2));
  if (!args.ok) {
    console.error(`${args.error}\n\n${USAGE}`);
    return 2;
  }
  return runHeadless(args.value, {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    key: process.env['TEAMROOM_API_KEY'] ?? null,
    told: endSignal(),
    worker: {
      script: join(__dirname, 'storeWorker.js'),
      wasm: join(__dirname, 'sql-wasm.wasm'),
      attribution: join(__dirname, 'attributionWorker.js'),
    },
  });
}

/** The first signal ends the run in order; another one ends the process at once, as without this. */
const endSignal = () =>
  new Promise<'SIGINT' | 'SIGTERM'>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    process.exitCode = 1;
  },
);
