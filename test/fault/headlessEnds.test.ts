import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type HeadlessPlace, headless, headlessPlace } from '../support/headless';
import { processesIn, runningIn } from '../support/processesIn';
import { call, say } from '../support/scriptedModel';

/** A headless process that is told to end, or whose workspace is taken from it. */

const sleeps = (request: { readonly messages: readonly { readonly role: string }[] }) =>
  request.messages.some((message) => message.role === 'tool')
    ? say('It was ended before its time.')
    : call('bash', { command: 'sleep 600 & sleep 600' });

const began = async (place: HeadlessPlace) => {
  const first = headless(['run', ...place.args, '--task', 'Sleep.']);
  await runningIn(place.work, 'sleep', 2);
  return first;
};

const stateOf = async ({ args }: HeadlessPlace) => {
  const read = headless(['state', ...args]);
  assert.equal(await read.exit, 0, read.err.join('\n'));
  return read.out.at(-1) ?? '';
};

describe('a headless process in the middle of a command', function () {
  this.timeout(120_000);
  let place: HeadlessPlace;
  beforeEach(async () => {
    place = await headlessPlace({ lead: sleeps });
  });
  afterEach(() => place.close());

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`${signal} ends the command with all its processes; the run is interrupted and can go on`, async () => {
      const first = await began(place);
      first.child.kill(signal);
      assert.equal(await first.exit, code);
      assert.deepEqual(await processesIn(place.work), []);
      assert.match(first.err.join('\n'), new RegExp(`ended by ${signal}; resume goes on`));
      assert.match(await stateOf(place), /"status":"interrupted"/);

      const next = headless(['resume', ...place.args]);
      assert.equal(await next.exit, 0, next.err.join('\n'));
      const [outcome] = place.server.log.at(-1)?.messages.filter((each) => each.role === 'tool') ?? [];
      assert.match(String(outcome?.content), /^The host ended while this command was running: sleep 600/);
    });
  }

  it('another process may stop its agents only when it says so; then the first gives the workspace up', async () => {
    const first = await began(place);
    const refused = headless(['stop', ...place.args, '--name', 'all']);
    assert.equal(await refused.exit, 1);
    assert.match(
      refused.err.join('\n'),
      /another window \(process \d+ on .*\) has this workspace's teams.*--take-over/,
    );
    assert.equal((await processesIn(place.work)).filter((name) => name === 'sleep').length, 2);

    const stopped = headless(['stop', ...place.args, '--name', 'all', '--take-over']);
    assert.equal(await stopped.exit, 0, stopped.err.join('\n'));
    assert.match(stopped.out.join('\n'), /stopped: lead/);
    assert.equal(await first.exit, 1);
    // It is asked to yield, or finds out when it wants to write; both say why.
    assert.match(
      first.err.join('\n'),
      /another window (\(process \d+ on .*\) has this workspace's teams|took this workspace over)/,
    );
    assert.deepEqual(await processesIn(place.work), []);
    assert.match(await stateOf(place), /"reason":"stopped"/);
  });

  it('what it can’t work with is told in a sentence, as bad usage', async () => {
    const none = join(place.root, 'none');
    const cases = [
      { args: ['state', '--workspace', none, '--state', place.root], says: /there is no folder/ },
      { args: ['run', ...place.args, '--task-file', none], says: /--task-file can't be read: ENOENT/ },
      {
        args: ['run', ...place.args, '--task', 'x', '--limit', 'usd=1'],
        says: /--limit usd=N needs --price/,
      },
      { args: ['run', ...place.args, '--task', 'x', '--price', '1,-2'], says: /--price takes/ },
    ];
    for (const { args, says } of cases) {
      const tried = headless(args);
      assert.equal(await tried.exit, 2, args.join(' '));
      assert.match(tried.err.join('\n'), says);
      assert.doesNotMatch(tried.err.join('\n'), /\n\s+at /);
    }
    assert.equal(place.server.log.length, 0);
  });
});

describe('the export of the headless host', () => {
  it('is the room as Markdown, or every event as a line', async () => {
    const place = await headlessPlace({ lead: [say('Done.')] });
    try {
      const args = place.args.filter((arg) => arg !== '--events');
      assert.equal(await headless(['run', ...place.args, '--task', 'Do it.']).exit, 0);
      const room = headless(['export', ...args]);
      assert.equal(await room.exit, 0, room.err.join('\n'));
      assert.match(room.out.join('\n'), /^# Do it\.\n\n## You → lead · .*\n\n> Do it\.\n[\s\S]*\n> Done\.$/);
      const events = headless(['export', ...args, '--format', 'jsonl']);
      assert.equal(await events.exit, 0, events.err.join('\n'));
      const types = events.out.map((line) => (JSON.parse(line) as { type: string }).type);
      assert.deepEqual([types[0], types.includes('step.answered')], ['session.created', true]);
      assert.equal(await headless(['export', ...args, '--format', 'pdf']).exit, 2);
    } finally {
      await place.close();
    }
  });
});

describe('a price for the headless host', () => {
  it('makes the limit in dollars hold', async () => {
    const place = await headlessPlace({ lead: [call('bash', { command: 'true' }), say('Done.')] });
    try {
      const args = ['--price', '1000000,1000000', '--limit', 'usd=0.5'];
      const run = headless(['run', ...place.args, ...args, '--task', 'Do it.']);
      assert.equal(await run.exit, 3, run.err.join('\n'));
      assert.match(run.err.join('\n'), /answer --ask/);
      assert.equal(place.server.log.length, 0);
    } finally {
      await place.close();
    }
  });
});
