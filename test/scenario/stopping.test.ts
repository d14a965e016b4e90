import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sameTranscript } from '../support/golden';
import { runningIn } from '../support/processesIn';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string, more: object = {}) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.', ...more });

describe('stopping', function () {
  const { start } = scenes(this);

  it('L-89..L-93 by the lead takes a member with its subtree out, drops their mail and frees names and places', async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        calls(member('area', { lead: true }), member('other')),
        say('Two are at work.'),
        calls(
          call('team_send', { to: ['hand', 'other'], message: 'Hurry.' }),
          call('team_stop', { name: 'nobody' }),
          call('team_stop', { name: 'lead' }),
          call('team_stop', { name: 'area' }),
          call('team_send', { to: 'hand', message: 'Still there?' }),
          member('area', { task: 'Anew, and alone.' }),
          call('team_read'),
        ),
        say('Area begins anew.'),
        say('It is done.'),
      ],
      area: [
        hold('area', member('hand')),
        calls(call('team_stop', { name: 'other' }), call('team_stop', { name: 'lead' })),
        hold('area ends'),
        hold('new area', say('The new area is done.')),
      ],
      hand: [hold('hand')],
      other: [hold('other')],
    });
    const session = await rig.delegate('Parts, please.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('area');
    await rig.server.held('area ends');
    await rig.server.held('hand');
    await rig.engine.send(session, null, 'Begin the area anew.');
    await rig.turns(session, 'lead', 2);
    await rig.server.held('new area');
    rig.server.release('new area');
    await rig.turns(session, 'lead', 3);
    // Whoever was stopped says nothing more, though its model would.
    for (const gate of ['hand', 'area ends']) rig.server.release(gate);
    await sameTranscript(rig, 'stopping/by-the-lead', session);
  });

  it('L-63 L-90 L-96 by the person ends a running command with its processes, and the lead is told next time', async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [
        calls(member('area', { lead: true }), member('other')),
        say('Two are at work.'),
        say('area and hand are gone; other goes on.'),
        say('other is done.'),
      ],
      area: [member('hand'), hold('area')],
      hand: [
        call('bash', {
          command: 'touch before; (sleep 1000 & sleep 1000); touch after',
          timeout_seconds: 500,
        }),
      ],
      other: [hold('other', say('other: done.'))],
    });
    const session = await rig.delegate('Parts, please.');
    await rig.turns(session, 'lead', 1);
    await runningIn(rig.workspace, 'sleep', 2);
    await rig.server.held('area');
    const stopped = await rig.engine.stop(session, 'area');
    assert.deepEqual(stopped, { ok: true, value: ['area', 'hand'] });
    await runningIn(rig.workspace, 'sleep', 0);
    assert.ok(existsSync(join(rig.workspace, 'before')));
    assert.ok(!existsSync(join(rig.workspace, 'after')));
    // What it had changed until then is known.
    await rig.until(session, (state) => state.changes.size === 1);
    assert.deepEqual(await rig.engine.stop(session, 'area'), {
      ok: false,
      error: { code: 'refused', refusal: { code: 'unknown', name: 'area' } },
    });
    await rig.engine.send(session, null, 'How far are you?');
    await rig.turns(session, 'lead', 2);
    rig.server.release('other');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'stopping/by-the-person', session);
  });

  it("of the lead's turn stops nothing else; its words so far are kept and said to be cut off", async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        calls(member('a'), call('bash', { command: 'ls' })),
        hold('lead', say('I was just about to say something', { chunks: 6 })),
        say('a is done, I hear.'),
        say('Where was I?'),
      ],
      a: [hold('a', say('a: done.'))],
    });
    const session = await rig.delegate('Do it.');
    await rig.hears(session, 'lead', 'I was just about');
    await rig.server.held('a');
    assert.deepEqual(await rig.engine.stop(session, 'lead'), { ok: true, value: ['lead'] });
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await rig.engine.send(session, null, 'Go on.');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'stopping/the-leads-turn', session);
  });

  it('of all ends every turn, open questions are withdrawn, and the lead can be asked anew', async () => {
    const rig = await start();
    rig.server.script({
      lead: [calls(member('a'), member('b')), hold('lead'), say('Nobody is left.')],
      a: [call('bash', { command: 'touch a.txt' })],
      b: [hold('b')],
    });
    const session = await rig.delegate('Do it.');
    await rig.hears(session, 'lead', 'do');
    await rig.server.held('b');
    const [ask] = await rig.asks(session);
    assert.ok(ask);
    assert.deepEqual(await rig.engine.stop(session, 'all'), { ok: true, value: ['a', 'b', 'lead'] });
    const late = await rig.engine.answer(session, ask.id, { type: 'allow', scope: 'once' }, null);
    assert.equal(late.ok, false);
    await rig.engine.send(session, null, 'And now?');
    await rig.turns(session, 'lead', 2);
    assert.ok(!existsSync(join(rig.workspace, 'a.txt')));
    await sameTranscript(rig, 'stopping/all', session);
  });

  it('a member that was stopped while it waited for the person gives back what it had written', async () => {
    const rig = await start({ files: { 'a.txt': 'alpha\n' } });
    const edit = (old: string, to: string) => call('edit', { path: 'a.txt', old, new: to });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('b is done.')],
      a: [
        hold('a', call('read', { path: 'a.txt' })),
        calls(edit('alpha', 'by a'), call('bash', { command: 'touch x' })),
      ],
      b: [hold('b', call('read', { path: 'a.txt' })), edit('by a', 'by b'), say('b: done.')],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.parked(session, 'a');
    await rig.engine.stop(session, 'a');
    rig.server.release('b');
    await rig.turns(session, 'lead', 2);
    assert.equal(await rig.read('a.txt'), 'by b\n');
    await sameTranscript(rig, 'stopping/gives-back', session);
  });
});
