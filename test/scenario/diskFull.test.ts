import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openRuns } from '../../src/shared/lookup';
import { StoreFailure, type WorkspaceStore } from '../../src/store/port';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';
import { overriding, wrapSessions } from '../support/wrapStore';

/** The disk is full for one session from the moment on that somebody says so. */
class FullDisk {
  full: string | null = null;

  wrap(store: WorkspaceStore): WorkspaceStore {
    return wrapSessions(store, (session, id) =>
      overriding(session, {
        append: (records) =>
          this.full === id
            ? Promise.reject(new StoreFailure('disk_full', 'no space is left on the device'))
            : session.append(records),
      }),
    );
  }
}

describe('a disk that is full in the middle', function () {
  const { start } = scenes(this);

  it('F2 stops the runs, says so, keeps the state that is on the disk, and the work goes on when there is space', async () => {
    const disk = new FullDisk();
    const rig = await start({
      mode: 'auto',
      adapt: (options) => ({ ...options, store: disk.wrap(options.store) }),
    });
    rig.server.script({
      lead: [
        calls(
          call('team_add', { name: 'a', role: 'a', task: 'Write a.txt.', goal: 'A file.' }),
          call('team_add', { name: 'b', role: 'b', task: 'Wait.' }),
        ),
        say('a and b are at work.'),
        say('a is done.'),
      ],
      a: [
        hold('a', call('write', { path: 'a.txt', content: 'a\n' })),
        hold('a again', call('write', { path: 'a.txt', content: 'a\n' })),
        say('a: done.'),
      ],
      b: [hold('b'), hold('b again')],
    });
    const session = await rig.delegate('Write a file.');
    await rig.turns(session, 'lead', 1);
    const before = rig.engine.state(session);
    disk.full = session;
    rig.server.release('a');
    await rig.told(1);
    assert.deepEqual(rig.notices, [
      {
        type: 'failure',
        message: '"Write a file." can\'t be written any more: no space is left on the device',
      },
    ]);
    assert.deepEqual(rig.engine.state(session), before);
    assert.ok(!existsSync(join(rig.workspace, 'a.txt')));
    await rig.server.idle();
    const requests = rig.server.log.length;
    // It is read-only: each act of the person is refused with the reason.
    for (const act of [
      () => rig.engine.send(session, null, 'Are you there?'),
      () => rig.engine.stop(session, 'all'),
      () => rig.engine.settings(session, { mode: 'ask' }),
    ]) {
      const done = await act();
      assert.equal(done.ok, false);
      assert.match(JSON.stringify(done), /read-only|no space is left/);
    }
    assert.equal(rig.server.log.length, requests);
    // The history can be read all the time.
    const readable = await rig.engine.open(session);
    assert.deepEqual(readable, { ok: true, value: before });
    assert.deepEqual(rig.engine.state(session), before);
    disk.full = null;
    assert.ok((await rig.engine.rename(session, 'Write it')).ok, 'there is room again');
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok);
    assert.equal(openRuns(opened.value).filter((run) => run.phase.status === 'interrupted').length, 2);
    assert.ok((await rig.engine.resume(session, true, null)).ok);
    await rig.server.held('a again');
    rig.server.release('a again');
    await rig.turns(session, 'lead', 2);
    assert.equal(await rig.read('a.txt'), 'a\n');
    rig.errors.splice(0);
    await sameTranscript(rig, 'disk-full/in-the-middle', session);
  });

  it('another session of the same window goes on, in the slots that were taken', async () => {
    const disk = new FullDisk();
    const rig = await start({
      parallel: 2,
      adapt: (options) => ({ ...options, store: disk.wrap(options.store) }),
    });
    rig.server.script({
      lead: ({ messages, n }) => {
        if (messages.some((message) => message.content.endsWith('Task two.'))) return say('Two: done.');
        return n === 1
          ? call('team_add', { name: 'a', role: 'a', task: 'Wait.', goal: 'Waiting.' })
          : hold('one', say('One: done.'));
      },
      a: [hold('a')],
    });
    const one = await rig.delegate('Task one.');
    await rig.server.held('one');
    await rig.server.held('a');
    const two = await rig.delegate('Task two.');
    disk.full = one;
    rig.server.release('one');
    await rig.told(1);
    await rig.turns(two, 'lead', 1);
    assert.equal(await rig.lastAnswer(two), 'Two: done.');
    rig.errors.splice(0);
  });
});
