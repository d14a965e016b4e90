import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headless } from '../support/headless';
import { recordsOf } from '../support/records';
import {
  type AskedRequest,
  call,
  calls,
  type ScriptedModel,
  say,
  startScriptedModel,
} from '../support/scriptedModel';

/** Real processes, killed with SIGKILL when they have told their n-th event; then the work goes on to its end. */

const count = (name: string) => call('bash', { command: `echo ${name} >> counter.txt; sleep 0.05` });

const answersIn = (request: AskedRequest) =>
  request.messages.filter((message) => message.role === 'assistant').length;

const script = {
  lead: (request: AskedRequest) =>
    [
      call('team_add', { name: 'writer', role: 'writes', task: 'Write out.txt.', goal: 'A file.' }),
      say('I wait.'),
      say('Finished.'),
    ][answersIn(request)] ?? say('Finished.'),
  writer: (request: AskedRequest) =>
    [
      count('one'),
      calls(call('write', { path: 'out.txt', content: 'hello\n' }), count('two')),
      call('team_send', { to: 'lead', message: 'half done' }),
      count('three'),
      say('The file is there.'),
    ][answersIn(request)] ?? say('The file is there.'),
};

interface Place {
  readonly root: string;
  readonly server: ScriptedModel;
  readonly args: readonly string[];
}

async function place(): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'teamroom-kill-'));
  await mkdir(join(root, 'work'));
  const server = await startScriptedModel();
  server.script(script);
  const dirs = ['--workspace', join(root, 'work'), '--state', join(root, 'state')];
  return {
    root,
    server,
    args: [...dirs, '--base-url', server.url, '--model', 'scripted', '--mode', 'auto', '--events'],
  };
}

const told = (line: string): string => {
  const { sessionId: _session, ...event } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(event);
};

describe('a headless process that is killed', function () {
  this.timeout(300_000);

  for (const seed of [1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 36, 39]) {
    it(`after its event ${seed}: nothing told is lost, nothing happens twice, the work ends`, async () => {
      const { root, server, args } = await place();
      try {
        const first = headless(['run', ...args, '--task', 'Write the file.']);
        if (await first.lines(seed)) first.child.kill('SIGKILL');
        await first.exit;
        const seen = first.out.map(told);
        const kept = await recordsOf(root);
        assert.deepEqual(
          kept.slice(0, seen.length).map((json) => JSON.stringify(JSON.parse(json))),
          seen,
        );

        const next = headless(['resume', ...args]);
        assert.equal(await next.exit, 0, next.err.join('\n'));
        const counter = join(root, 'work', 'counter.txt');
        const lines = existsSync(counter) ? (await readFile(counter, 'utf8')).trim().split('\n') : [];
        assert.equal(new Set(lines).size, lines.length, `a command ran twice: ${lines.join()}`);
        const unknown = (await recordsOf(root)).filter((json) => json.includes('"status":"unknown"'));
        assert.ok(lines.length === 3 || unknown.length > 0, `${lines.join()}; no unknown outcome was told`);
        assert.equal(await readFile(join(root, 'work', 'out.txt'), 'utf8'), 'hello\n');
        for (const request of server.log) {
          const asked = request.messages.flatMap((message) =>
            (message.tool_calls ?? []).map((each) => each.id),
          );
          const answered = request.messages.flatMap((message) =>
            message.role === 'tool' ? [message.tool_call_id] : [],
          );
          assert.deepEqual([...answered].sort(), [...asked].sort());
        }
      } finally {
        await server.close();
        await rm(root, { recursive: true, force: true });
      }
    });
  }
});
