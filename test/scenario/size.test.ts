import assert from 'node:assert/strict';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string, more: object = {}) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, ...more });

describe('the size', function () {
  const { start } = scenes(this);

  it('L-16 L-29 L-32 L-95 holds when it is lowered, and the lead is told of it with the next user message', async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        calls(member('a', { goal: 'Parts.' }), member('b'), member('c')),
        say('Two are at work.'),
        say('a is done.'),
        calls(member('d'), call('team_stop', { name: 'a' }), member('d')),
        say('Still full.'),
        call('team_stop', { name: 'all' }),
        member('a', { task: 'You are another a.' }),
        say('One, and no more.'),
      ],
      a: [hold('a', say('a: done.')), hold('new a')],
      b: [hold('b')],
    });
    const size = { min: 1, max: 3 };
    const session = await rig.delegate('Parts, please.', { size });
    await rig.turns(session, 'lead', 1);
    // Lowered while nobody speaks to the lead: mail alone doesn't bring the note.
    assert.deepEqual(await rig.engine.settings(session, { size: { min: 1, max: 3 } }), {
      ok: true,
      value: rig.engine.state(session)?.session?.settings,
    });
    for (const max of [4, 2]) {
      const set = await rig.engine.settings(session, { size: { min: 1, max } });
      assert.ok(set.ok);
    }
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await rig.engine.send(session, null, 'Get somebody for d.');
    await rig.turns(session, 'lead', 3);
    await rig.engine.settings(session, { size: { min: 2, max: 2 } });
    await rig.engine.send(session, null, 'Then begin anew.');
    await rig.turns(session, 'lead', 4);
    await sameTranscript(rig, 'size/lowered', session);
  });

  it('L-13 a value out of bounds is refused where it is set, with the bounds, and nothing of the patch is kept', async () => {
    const rig = await start({ settings: { cap: () => 8 } });
    rig.server.script({ lead: [hold('lead')] });
    const none = await rig.engine.delegate({ task: 'x', size: { min: 1, max: 9 } });
    assert.deepEqual(none, {
      ok: false,
      error: { code: 'refused', refusal: { code: 'size_bounds', min: 1, max: 9, cap: 8 } },
    });
    assert.deepEqual(rig.engine.sessions(), []);
    const session = await rig.delegate('Parts, please.');
    const before = rig.engine.state(session)?.session?.settings;
    for (const size of [
      { min: 0, max: 4 },
      { min: 3, max: 2 },
      { min: 1, max: 9 },
      { min: 1.5, max: 2 },
    ]) {
      const set = await rig.engine.settings(session, { mode: 'auto', size });
      assert.deepEqual(set, {
        ok: false,
        error: { code: 'refused', refusal: { code: 'size_bounds', ...size, cap: 8 } },
      });
    }
    const limits = { steps: 0 };
    const set = await rig.engine.settings(session, { size: { min: 2, max: 3 }, mode: 'auto', limits });
    assert.equal(set.ok, false);
    await rig.engine.rename(session, 'Renamed');
    assert.deepEqual(rig.engine.state(session)?.session?.settings, before);
    assert.deepEqual(rig.errors, []);
  });

  it('L-22 L-23 L-95 at one the members that are left can be told and stopped, and nobody is added', async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        calls(member('a', { goal: 'Parts.', lead: true }), member('b')),
        say('Two are at work.'),
        calls(call('team_send', { to: ['b'], message: 'Come to an end.' }), member('c'), call('team_read')),
        say('I told b.'),
        say('a could do nothing.'),
        call('team_stop', { name: 'all' }),
        calls(call('team_read'), call('team_send', { to: 'a', message: 'x' }), member('a')),
        call('write', { path: 'a.txt', content: 'alone\n' }),
        say('I did it alone.'),
      ],
      a: [
        hold('a', calls(member('aa'), call('team_send', { to: 'b', message: 'x' }), call('team_read'))),
        say('No team is possible.'),
      ],
      b: [hold('b')],
    });
    const session = await rig.delegate('Parts, please.');
    await rig.turns(session, 'lead', 1);
    await rig.engine.settings(session, { size: { min: 1, max: 1 } });
    await rig.engine.send(session, null, 'Alone, please.');
    await rig.turns(session, 'lead', 2);
    rig.server.release('a');
    await rig.turns(session, 'lead', 3);
    await rig.engine.send(session, null, 'Now.');
    await rig.turns(session, 'lead', 4);
    await sameTranscript(rig, 'size/one', session);
  });
});
