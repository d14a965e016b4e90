import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { headless, headlessPlace } from '../support/headless';
import { recordsOf } from '../support/records';
import { type AskedRequest, call, calls, say } from '../support/scriptedModel';

/**
 * A process killed with SIGKILL at its n-th event, around the making, the work and the end of a helper that its caller
 * waits for; then the work goes on to its end.
 */

const count = (name: string) => call('bash', { command: `echo ${name} >> counter.txt; sleep 0.05` });

const answersIn = (request: AskedRequest) =>
  request.messages.filter((message) => message.role === 'assistant').length;

const REPLY = 'The file is there.';

const script = {
  lead: (request: AskedRequest) =>
    [call('task', { description: 'Writes out.txt', task: 'Write out.txt.' }), say('Finished.')][
      answersIn(request)
    ] ?? say('Finished.'),
  'helper-1': (request: AskedRequest) =>
    [count('one'), calls(call('write', { path: 'out.txt', content: 'hello\n' }), count('two')), say(REPLY)][
      answersIn(request)
    ] ?? say(REPLY),
};

interface Told {
  readonly type: string;
  readonly agent?: { readonly kind: string };
  readonly calls?: readonly { readonly callId: string; readonly tool: string }[];
  readonly callId?: string;
}

describe('a headless process that is killed while a helper works', function () {
  this.timeout(300_000);

  for (const seed of [5, 7, 8, 9, 10, 11, 12, 13, 15, 17, 19, 21, 23, 25, 27, 29]) {
    it(`after its event ${seed}: there is one helper, its call has one result, and nothing runs twice`, async () => {
      const place = await headlessPlace(script);
      try {
        const first = headless(['run', ...place.args, '--task', 'Have the file written.']);
        if (await first.lines(seed)) first.child.kill('SIGKILL');
        await first.exit;
        const next = headless(['resume', ...place.args]);
        assert.equal(await next.exit, 0, next.err.join('\n'));

        const counter = join(place.work, 'counter.txt');
        const lines = existsSync(counter) ? (await readFile(counter, 'utf8')).trim().split('\n') : [];
        assert.equal(new Set(lines).size, lines.length, `a command ran twice: ${lines.join()}`);
        assert.equal(await readFile(join(place.work, 'out.txt'), 'utf8'), 'hello\n');
        const events = (await recordsOf(place.root)).map((json) => JSON.parse(json) as Told);
        const helpers = events.filter(
          ({ type, agent }) => type === 'agent.added' && agent?.kind === 'helper',
        );
        assert.equal(helpers.length, 1);
        const [task] = events.flatMap((event) => event.calls ?? []).filter(({ tool }) => tool === 'task');
        const results = events.filter(
          ({ type, callId }) => type === 'call.finished' && callId === task?.callId,
        );
        assert.equal(results.length, 1);
        const last = place.server.log.filter(({ agent }) => agent === 'lead').at(-1);
        const answered = last?.messages.flatMap((message) =>
          message.role === 'tool' ? message.content : [],
        );
        assert.deepEqual(answered, [REPLY]);
      } finally {
        await place.close();
      }
    });
  }
});
