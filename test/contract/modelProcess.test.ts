import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as esbuild from 'esbuild';

interface LogAnswer {
  readonly log: readonly { readonly agent: string; readonly n: number; readonly aborted: boolean }[];
  readonly problems: readonly string[];
}

describe('the scripted model server as a process', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'scripted-model-'));
  });
  afterEach(async () => {
    const running = child;
    if (running !== undefined && running.exitCode === null) {
      await new Promise((resolve) => {
        running.once('exit', resolve);
        running.kill();
      });
    }
    child = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it('plays a JSON script and answers for its log and its gates', async () => {
    const url = await start({
      lead: [
        { text: 'step {{n}} of {{agent}}', times: 2 },
        { text: 'before after', hold: 'gate', chunks: 2 },
      ],
    });
    const origin = new URL(url).origin;
    assert.equal(await answerOf(url), 'step 1 of lead');
    assert.equal(await answerOf(url), 'step 2 of lead');
    const third = answerOf(url);
    await (await fetch(`${origin}/__wait/lead/3`)).text();
    await (await fetch(`${origin}/__held/gate`)).text();
    await (await fetch(`${origin}/__release/gate`)).text();
    assert.equal(await third, 'before after');
    const { log, problems } = (await (await fetch(`${origin}/__log`)).json()) as LogAnswer;
    assert.deepEqual(
      log.map(({ agent, n, aborted }) => [agent, n, aborted]),
      [
        ['lead', 1, false],
        ['lead', 2, false],
        ['lead', 3, false],
      ],
    );
    assert.deepEqual(problems, []);
  });

  async function start(script: object): Promise<string> {
    const outfile = join(folder, 'main.cjs');
    await esbuild.build({
      entryPoints: ['test/support/scriptedModel/main.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile,
    });
    writeFileSync(join(folder, 'script.json'), JSON.stringify(script));
    child = spawn(process.execPath, [outfile, join(folder, 'script.json')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (child.stdout === null) throw new Error('the server has no output');
    for await (const line of createInterface({ input: child.stdout })) return line;
    throw new Error('the server printed no address');
  }
});

/** The text that the lead is answered, taken from a whole stream. */
async function answerOf(url: string): Promise<string> {
  const messages = [{ role: 'system', content: 'You are lead, the lead.' }];
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, messages }),
  });
  const body = await response.text();
  assert.ok(body.endsWith('data: [DONE]\n\n'), body);
  return [...body.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
}
