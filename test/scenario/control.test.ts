import assert from 'node:assert/strict';
import type { ModelId, RunId, SessionId } from '../../src/shared/ids';
import { agentNamed, runOf } from '../../src/shared/lookup';
import type { Run, State } from '../../src/shared/state';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, hold, say, status } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });
const look = call('list', { path: '.' }, { text: 'I look.' });

const runsOf = (state: State, name: string): readonly Run[] =>
  (agentNamed(state, name)?.runs ?? []).flatMap((id) => runOf(state, id) ?? []);
const lastRun = (state: State, name: string): Run => runsOf(state, name).at(-1) ?? assert.fail('no run');
const isPaused = (state: State, name: string): boolean => {
  const { phase } = lastRun(state, name);
  return phase.status === 'parked' && phase.on === 'pause';
};
const must = async (done: Promise<{ readonly ok: boolean; readonly error?: unknown }>): Promise<void> => {
  const result = await done;
  assert.ok(result.ok, JSON.stringify(result));
};
const lastWords = (rig: Rig, agent: string): string =>
  rig.server.requestsOf(agent).at(-1)?.messages.at(-1)?.content ?? '';

describe('the person in control', function () {
  const { start } = scenes(this);

  it('paused, the step that goes on ends with its calls and no other begins; it survives a reload; continued, all goes on', async () => {
    const rig = await start({ parallel: 3 });
    rig.server.script({
      lead: [member('a'), say('a is at work.'), hold('lead', say('a goes on.')), say('a is done.')],
      a: [hold('a', look), hold('a ends', say('a: done.'))],
    });
    const session = await rig.delegate('Look around.');
    await rig.turns(session, 'lead', 1);
    await rig.server.held('a');
    await must(rig.engine.pause(session, true));
    rig.server.release('a');
    const paused = await rig.until(session, (state) => isPaused(state, 'a'));
    const { phase, steps } = lastRun(paused, 'a');
    assert.ok(phase.status === 'parked' && phase.slot === 'kept');
    assert.equal(steps, 1);
    await must(rig.engine.send(session, null, 'How is it?'));
    await rig.quiet(session);
    assert.equal(rig.server.requestsOf('a').length, 1);
    assert.equal(rig.server.requestsOf('lead').length, 2, 'words of the person start nothing either');
    await rig.close();
    await rig.open();
    await rig.engine.open(session);
    const again = await rig.quiet(session);
    assert.ok(again.session?.paused === true && isPaused(again, 'a'), 'not interrupted, still paused');
    await must(rig.engine.pause(session, false));
    await rig.server.held('lead');
    rig.server.release('a ends');
    await rig.turns(session, 'a', 1);
    rig.server.release('lead');
    await rig.turns(session, 'lead', 3);
    assert.equal(rig.server.requestsOf('a').length, 2);
    assert.deepEqual(rig.errors, []);
  });

  it('a question that is answered while it is paused waits with its turn, and time limits stand still', async () => {
    const rig = await start();
    rig.server.script({ lead: [call('ask_user', { question: 'Well?' }), say('Well then.')] });
    const session = await rig.delegate('Ask me.');
    const [ask] = await rig.asks(session);
    assert.ok(ask);
    await must(rig.engine.pause(session, true));
    await rig.answer(session, ask, { type: 'reply', text: 'Yes.' });
    const state = await rig.quiet(session);
    assert.equal(lastRun(state, 'lead').phase.status, 'parked');
    const { activeMs } = lastRun(state, 'lead');
    assert.equal(rig.server.requestsOf('lead').length, 1);
    await must(rig.engine.pause(session, false));
    const ended = await rig.turns(session, 'lead', 1);
    assert.ok(lastRun(ended, 'lead').activeMs - activeMs < 5000);
  });

  const failing = async (
    rig: Rig,
  ): Promise<{ readonly session: SessionId; readonly failed: RunId; readonly state: State }> => {
    rig.server.script({
      lead: [member('a'), say('a is at work.'), say('a has failed.')],
      a: [look, status(400, { raw: '{"error":{"message":"bad luck"}}' })],
    });
    const session = await rig.delegate('Look around.');
    const state = await rig.turns(session, 'lead', 2);
    return { session, failed: lastRun(state, 'a').id, state };
  };

  it('a failed turn goes on from its stored steps as a new turn; its manager gets the new report; no turn twice', async () => {
    const rig = await start();
    const { session, failed, state } = await failing(rig);
    assert.ok(lastRun(state, 'a').phase.status === 'ended');
    rig.server.script({ lead: [say('Now a is done.')], a: [say('a: done after all.')] });
    await must(rig.engine.retry(session, failed, null));
    const done = await rig.turns(session, 'lead', 3);
    assert.equal(lastRun(done, 'a').cause, 'retry');
    const [, first, second, third] = rig.server.requestsOf('a').at(-1)?.messages ?? [];
    assert.equal(first?.content, 'You are on part a.');
    assert.equal(second?.role, 'assistant');
    assert.equal(third?.role, 'tool');
    assert.match(
      lastWords(rig, 'a'),
      /otherwise than by itself \(error: .*bad luck\).*The person lets it go on/,
    );
    assert.match(lastWords(rig, 'lead'), /^\[Team report from a to lead:\]\na: done after all\.$/);
    const again = await rig.engine.retry(session, failed, null);
    assert.ok(!again.ok && again.error.code === 'refused');
    const ended = await rig.engine.retry(session, lastRun(done, 'a').id, null);
    assert.ok(!ended.ok, 'one that ended by itself is not tried again');
  });

  it('it may go on on another model; a model that is not set up is refused and nothing is changed', async () => {
    const rig = await start();
    rig.entries = [rig.entry, { ...rig.entry, id: 'second', model: 'scripted-2' }];
    const { session, failed } = await failing(rig);
    const refused = await rig.engine.retry(session, failed, 'third' as ModelId);
    assert.ok(!refused.ok && refused.error.code === 'refused');
    rig.server.script({ lead: [say('Now a is done.')], a: [say('a: done.')] });
    await must(rig.engine.retry(session, failed, 'second' as ModelId));
    const state = await rig.turns(session, 'lead', 3);
    assert.equal(rig.server.requestsOf('a').at(-1)?.body.model, 'scripted-2');
    assert.equal(agentNamed(state, 'a')?.model, 'second');
  });

  it('a turn at its limit of steps gets as many more; one that failed before it had its brief gets it', async () => {
    const rig = await start();
    rig.server.script({
      lead: [member('a'), say('a is at work.'), say('a is at its limit.'), say('a is done.')],
      a: [look, look],
    });
    const session = await rig.delegate('Look around.', { limits: { steps: 2 } });
    const state = await rig.turns(session, 'lead', 2);
    const { phase } = lastRun(state, 'a');
    assert.ok(phase.status === 'ended' && phase.reason === 'steps');
    rig.server.script({ a: [look, say('a: done.')] });
    await must(rig.engine.retry(session, lastRun(state, 'a').id, null));
    const done = await rig.turns(session, 'lead', 3);
    assert.equal(lastRun(done, 'a').steps, 2);
    const brief = rig.server.requestsOf('a').at(-1)?.raw.split('You are on part a.').length;
    assert.equal(brief, 2, 'the brief, once');
  });

  it("the lead's own turn that the person stopped goes on too", async () => {
    const rig = await start();
    rig.server.script({ lead: [hold('lead', look), say('Done.')] });
    const session = await rig.delegate('Look around.');
    await rig.server.held('lead');
    const stopped = await rig.engine.stop(session, 'lead');
    assert.ok(stopped.ok);
    const state = await rig.quiet(session);
    await must(rig.engine.retry(session, lastRun(state, 'lead').id, null));
    await rig.turns(session, 'lead', 2);
    assert.equal(await rig.lastAnswer(session), 'Done.');
    rig.server.release('lead');
  });

  it('L-96 told now, an idle lead hears of a stop in a turn of its own, one at work at its next step; never twice', async () => {
    const rig = await start();
    rig.server.script({
      lead: [member('a'), say('a is at work.'), hold('lead', look), say('I know.')],
      a: [hold('a')],
    });
    const session = await rig.delegate('Look around.');
    await rig.turns(session, 'lead', 1);
    const nothing = await rig.engine.tellLead(session);
    assert.ok(!nothing.ok, 'there is nothing to tell');
    assert.ok((await rig.engine.stop(session, 'a')).ok);
    assert.equal(rig.server.requestsOf('lead').length, 2, 'a stop alone starts nothing');
    await must(rig.engine.tellLead(session));
    await rig.server.held('lead');
    assert.match(lastWords(rig, 'lead'), /^\[Note:\]\nThe person stopped a\./);
    await must(rig.engine.settings(session, { size: { min: 1, max: 2 } }));
    await must(rig.engine.tellLead(session));
    rig.server.release('lead');
    await rig.turns(session, 'lead', 2);
    assert.match(lastWords(rig, 'lead'), /^\[Note:\]\nThe team may have 1 to 2 agents/);
    const all = rig.server.requestsOf('lead').at(-1)?.raw ?? '';
    assert.equal(all.split('The person stopped a.').length, 2);
    rig.server.release('a');
  });
});
