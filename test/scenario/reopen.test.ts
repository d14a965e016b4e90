import assert from 'node:assert/strict';
import { openRuns } from '../../src/shared/lookup';
import type { RunPhase, State } from '../../src/shared/state';
import { sameTranscript } from '../support/golden';
import { runningIn } from '../support/processesIn';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';
import { runsOf } from '../support/transcript';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });
const bash = (command: string) => call('bash', { command });
const ONCE = { type: 'allow', scope: 'once' } as const;

const phase = (state: State, name: string): RunPhase['status'] | undefined =>
  runsOf(state, name).at(-1)?.phase.status;

describe('closing in the middle and opening again', function () {
  const { start } = scenes(this);

  /** Three slots: a waits for the person, b streams, c runs a command, d waits for a slot. */
  const inTheMiddle = async (
    resume: 'ask' | 'auto' | 'never',
    lead: readonly ReturnType<typeof say>[],
  ): Promise<{ rig: Rig; session: Parameters<Rig['asks']>[0] }> => {
    const rig = await start({
      parallel: 3,
      settings: {
        resume: () => resume,
        rules: () => [{ effect: 'allow', tool: 'bash', pattern: 'sleep *' }],
      },
    });
    rig.server.script({
      lead: [calls(member('a'), member('b'), member('c'), member('d')), say('Four parts.'), ...lead],
      a: [hold('a', bash('touch a.txt'))],
      b: [
        hold('b', call('write', { path: 'b.txt', content: 'b\n' })),
        hold('b streams', say('b: I was just about to be done.', { chunks: 8 })),
      ],
      c: [hold('c', bash('sleep 1000'))],
    });
    const session = await rig.delegate('Four parts, please.', { size: { min: 1, max: 5 } });
    await rig.turns(session, 'lead', 1);
    for (const name of ['a', 'b', 'c']) await rig.server.waitFor(name);
    for (const name of ['a', 'b', 'c']) rig.server.release(name);
    await rig.parked(session, 'a');
    await rig.hears(session, 'b', 'I was just');
    await runningIn(rig.workspace, 'sleep', 1);
    assert.equal(rig.server.requestsOf('d').length, 0);
    await rig.close();
    await runningIn(rig.workspace, 'sleep', 0);
    await rig.open();
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok);
    return { rig, session };
  };

  it('queued stays queued, parked stays parked, running is interrupted; the person lets it go on', async () => {
    const { rig, session } = await inTheMiddle('ask', [
      say('b is done.'),
      say('c is done.'),
      say('a is done.'),
      say('d is done.'),
    ]);
    const requests = rig.server.log.length;
    const state = await rig.until(session, () => true);
    assert.deepEqual(
      ['lead', 'a', 'b', 'c', 'd'].map((name) => phase(state, name)),
      ['ended', 'parked', 'interrupted', 'interrupted', 'queued'],
    );
    rig.server.script({
      a: [say('a: done.')],
      b: [hold('b again', say('b: done.'))],
      c: [hold('c again', say('c: done.'))],
      d: [hold('d', say('d: done.'))],
    });
    // What the person does elsewhere in the session starts nothing of what they have not decided on.
    await rig.engine.rename(session, 'Four parts');
    assert.equal(rig.server.log.length, requests);
    assert.ok((await rig.engine.resume(session, true, null)).ok);
    await rig.server.held('b again');
    await rig.server.held('c again');
    rig.server.release('b again');
    await rig.turns(session, 'lead', 2);
    rig.server.release('c again');
    await rig.turns(session, 'lead', 3);
    await rig.server.held('d');
    const [ask] = await rig.asks(session);
    assert.ok(ask);
    await rig.answer(session, ask, ONCE);
    await rig.turns(session, 'lead', 4);
    rig.server.release('d');
    await rig.turns(session, 'lead', 5);
    await sameTranscript(rig, 'reopen/goes-on', session);
  });

  it('declined, an interrupted turn ends with an error that says so, and its manager is told', async () => {
    const { rig, session } = await inTheMiddle('ask', [hold('lead', say('b and c were interrupted.'))]);
    rig.server.script({ d: [hold('d', say('d: done.'))] });
    assert.ok((await rig.engine.resume(session, false, null)).ok);
    await rig.server.held('lead');
    await rig.server.held('d');
    rig.server.release('lead');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'reopen/declined', session);
  });

  it('one may be let go on and the other not', async () => {
    const { rig, session } = await inTheMiddle('ask', [say('c was interrupted.'), say('b is done.')]);
    rig.server.script({ b: [hold('b again', say('b: done.'))], d: [hold('d')] });
    const state = await rig.until(session, () => true);
    const idOf = (name: string) =>
      runsOf(state, name)
        .slice(-1)
        .map((run) => run.id);
    assert.ok((await rig.engine.resume(session, false, idOf('c'))).ok);
    await rig.turns(session, 'lead', 2);
    assert.equal(rig.server.requestsOf('d').length, 0);
    assert.ok((await rig.engine.resume(session, true, idOf('b'))).ok);
    await rig.server.held('b again');
    await rig.server.held('d');
    rig.server.release('b again');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'reopen/one-each', session);
  });

  it('set to auto it goes on by itself, set to never it ends by itself', async () => {
    const auto = await inTheMiddle('auto', [say('c is done.')]);
    auto.rig.server.script({ b: [hold('b again')], c: [hold('c again', say('c: done.'))], d: [hold('d')] });
    await auto.rig.server.held('b again');
    auto.rig.server.release('c again');
    await auto.rig.turns(auto.session, 'lead', 2);
    await auto.rig.end();
    const never = await inTheMiddle('never', [hold('lead')]);
    never.rig.server.script({ d: [hold('d')] });
    await never.rig.server.held('lead');
    const state = await never.rig.until(never.session, () => true);
    assert.deepEqual(
      ['b', 'c'].map((name) => phase(state, name)),
      ['ended', 'ended'],
    );
  });

  it('a session that is not open keeps its mail, and a member that is woken after it still knows what it did', async () => {
    const rig = await start({ files: { 'a.txt': 'alpha\n' } });
    rig.server.script({
      lead: [member('a'), say('a is at work.'), say('a is done.'), say('a is done again.')],
      a: [
        hold('a', call('read', { path: 'a.txt' })),
        call('edit', { path: 'a.txt', old: 'alpha', new: 'beta' }),
        say('a: it says beta.'),
        call('edit', { path: 'a.txt', old: 'beta', new: 'gamma' }),
        say('a: it says gamma.'),
      ],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await rig.close();
    await rig.open();
    assert.deepEqual(rig.engine.sessions(), []);
    // A word to a session that isn't open opens it.
    assert.ok((await rig.engine.send(session, 'a', 'Now gamma, please.')).ok);
    await rig.turns(session, 'lead', 3);
    const state = await rig.quiet(session);
    assert.deepEqual(openRuns(state), []);
    await sameTranscript(rig, 'reopen/woken', session);
  });
});
