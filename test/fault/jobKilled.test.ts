import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeadlessPlace, headless, headlessPlace } from '../support/headless';
import { processesIn, runningIn } from '../support/processesIn';
import { type AskedRequest, call, say } from '../support/scriptedModel';

/** Hosts that are killed with SIGKILL while a command runs in the background. */

const SERVE = 'echo ran >> counter.txt; sleep 1000 & sleep 1000';

const answersIn = (request: AskedRequest) =>
  request.messages.filter((message) => message.role === 'assistant').length;

const script = {
  lead: (request: AskedRequest) =>
    [call('bash', { command: SERVE, background: true }), say('It serves.')][answersIn(request)] ??
    say('I know of it.'),
};

/** How often the model was told of the command that was lost, in the last request that it got. */
function timesTold({ server }: HeadlessPlace): number {
  const messages = server.log.at(-1)?.messages ?? [];
  return messages.filter(
    ({ role, content }) => role === 'user' && String(content).includes('was running when the host ended'),
  ).length;
}

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** The lead's turn is over and its command goes on when its host is killed. */
async function killedWhileItServes({ args, work }: HeadlessPlace): Promise<void> {
  const first = headless(['run', ...args, '--task', 'Serve.']);
  await runningIn(work, 'sleep', 2);
  await until(async () => first.out.some((line) => line.includes('"run.ended"')));
  first.child.kill('SIGKILL');
  await first.exit;
}

describe('a host that is killed while a command runs in the background', function () {
  this.timeout(120_000);

  it('the next one ends all its processes, runs it no second time, and its agent is told once', async () => {
    const place = await headlessPlace(script);
    const { args, work } = place;
    try {
      await killedWhileItServes(place);
      assert.equal(
        (await processesIn(work)).filter((name) => name === 'sleep').length,
        2,
        'it goes on alone',
      );

      const next = headless(['resume', ...args]);
      assert.equal(await next.exit, 0, next.err.join('\n'));
      assert.deepEqual(await processesIn(work), []);
      assert.ok(next.err.some((line) => line.includes('survivors_ended') && line.includes('sleep 1000')));
      assert.equal(place.server.log.length, 2, 'nothing was asked of the model for that');

      for (const text of ['What of it?', 'And now?']) {
        const sent = headless(['send', ...args, '--text', text]);
        assert.equal(await sent.exit, 0, sent.err.join('\n'));
        assert.equal(timesTold(place), 1);
        assert.ok(!sent.err.some((line) => line.includes('survivors_ended')));
      }
      assert.equal(await readFile(join(work, 'counter.txt'), 'utf8'), 'ran\n');
    } finally {
      await place.close();
    }
  });

  it('is found again by whoever deletes the session: nothing is left of either, and no model is asked', async () => {
    const place = await headlessPlace(script);
    const { args, work } = place;
    try {
      await killedWhileItServes(place);
      const sessions = join(place.root, 'state', 'workspace', 'sessions');
      const [id] = readdirSync(sessions);
      assert.ok(id !== undefined);
      const unnamed = headless(['delete', ...args]);
      assert.equal(await unnamed.exit, 2);
      const asked = place.server.log.length;
      const deleted = headless(['delete', ...args, '--session', id]);
      assert.equal(await deleted.exit, 0, deleted.err.join('\n'));
      assert.deepEqual([await processesIn(work), readdirSync(sessions)], [[], []]);
      assert.equal(place.server.log.length, asked);
      const again = headless(['delete', ...args, '--session', id]);
      assert.equal(await again.exit, 1);
    } finally {
      await place.close();
    }
  });

  const ranAfter: string[] = [];
  after(() => assert.deepEqual([...new Set(ranAfter)].sort(), ['', 'ran\n'], 'both have been seen'));

  for (const seed of [9, 10, 11, 12, 13, 14]) {
    it(`after its event ${seed}: it is run once at most, nothing is left, and what ran is told`, async () => {
      const place = await headlessPlace(script);
      const { args, work } = place;
      try {
        const first = headless(['run', ...args, '--task', 'Serve.']);
        if (await first.lines(seed)) first.child.kill('SIGKILL');
        await first.exit;
        const ended = headless(['resume', ...args, '--resume', 'never']);
        await ended.exit;
        assert.deepEqual(await processesIn(work), []);
        const counter = join(work, 'counter.txt');
        const ran = existsSync(counter) ? await readFile(counter, 'utf8') : '';
        ranAfter.push(ran);
        const began = [...first.out, ...ended.out].some((line) => line.includes('"job.started"'));
        const sent = headless(['send', ...args, '--text', 'What of it?']);
        await until(async () => timesTold(place) > 0 || sent.child.exitCode !== null || !began);
        sent.child.kill('SIGTERM');
        await sent.exit;
        if (ran !== '') assert.equal(timesTold(place), 1);
        assert.deepEqual(await processesIn(work), []);
      } finally {
        await place.close();
      }
    });
  }
});
