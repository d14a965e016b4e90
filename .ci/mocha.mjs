/**
 * Runs bundled test files with mocha and writes what happens, line by line, to a journal: so whoever started it can
 * count even if the process dies or hangs in the middle. As a process: `node .ci/mocha.mjs JOURNAL TIMEOUT FILE…`;
 * the suite in the extension host imports `runFiles`.
 */
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';

/**
 * @param {string[]} files bundled test files
 * @param {{ journal: string, timeout: number, grep?: string }} options timeout in milliseconds per test
 * @returns {Promise<number>} how many failed
 */
export async function runFiles(files, { journal, timeout, grep }) {
  const write = (row) => appendFileSync(journal, `${JSON.stringify(row)}\n`);
  const mocha = new Mocha({
    timeout,
    slow: timeout,
    reporter: journalReporter(write),
    forbidOnly: true,
    grep,
  });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const failures = await new Promise((done) => mocha.run(done));
  write({ type: 'end' });
  return failures;
}

function journalReporter(write) {
  return class {
    constructor(runner) {
      const row = (type) => (test) => write({ type, title: test.fullTitle(), ms: test.duration });
      runner.on('test', row('start'));
      runner.on('pass', row('pass'));
      runner.on('pending', row('pending'));
      runner.on('fail', (test, error) =>
        write({ type: 'fail', title: test.fullTitle(), error: explain(error) }),
      );
    }
  };
}

function explain(error) {
  if (!(error instanceof Error)) return `not an Error: ${JSON.stringify(error)}`;
  const cause = error.cause === undefined ? '' : `\ncaused by: ${explain(error.cause)}`;
  const stack = (error.stack ?? error.message)
    .split('\n')
    .filter((line) => !/node_modules|node:internal/.test(line));
  return stack.join('\n') + cause;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const [journal, timeout, ...files] = process.argv.slice(2);
  process.exitCode = Math.min(1, await runFiles(files, { journal, timeout: Number(timeout) }));
}
