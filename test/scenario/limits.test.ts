import assert from 'node:assert/strict';
import { type Clock, systemClock } from '../../src/base/clock';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });
const look = call('list', { path: '.' });
const spends = (input: number, output = 500) => ({ usage: { input, output } });

/** The host's clock, which a test may put forward. */
class JumpingClock implements Clock {
  #ahead = 0;
  now = (): number => systemClock.now() + this.#ahead;
  after = systemClock.after;
  jump(ms: number): void {
    this.#ahead += ms;
  }
}

describe('limits', function () {
  const { start } = scenes(this);

  it("L-60 a turn's steps end it; the report has its last words and says so; a message wakes it for another turn", async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        member('a'),
        say('a is at work.'),
        call('team_send', { to: 'a', message: 'Go on.' }),
        say('a goes on.'),
        say('a is done.'),
      ],
      a: [
        hold('a', { ...look, text: 'I look.' }),
        { ...look, text: 'I look again.' },
        hold('a again', say('Now I am done.')),
      ],
    });
    const session = await rig.delegate('Look around.', { limits: { steps: 2 } });
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    rig.server.release('a again');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'limits/steps', session);
  });

  it('active time ends a turn, and stands still while the person is asked', async () => {
    const clock = new JumpingClock();
    const rig = await start({ parts: { clock } });
    rig.server.script({
      lead: [
        member('a'),
        call('ask_user', { question: 'Well?' }),
        say('Well then.'),
        say('a ran out of time.'),
      ],
      a: [hold('a', look)],
    });
    const session = await rig.delegate('Look around.', { limits: { activeMs: 60_000 } });
    await rig.parked(session, 'lead');
    await rig.server.held('a');
    clock.jump(61_000);
    const [ask] = await rig.asks(session);
    assert.ok(ask);
    await rig.answer(session, ask, { type: 'reply', text: 'Yes.' });
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'limits/active-time', session);
  });

  it('tokens: the person is asked before the request that would pass the limit; raised, it goes on; ended, it says so', async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        { ...member('a'), ...spends(1000) },
        say('a is at work.', spends(1000)),
        say('a has no budget left.', spends(100)),
      ],
      a: [
        hold('a', { ...look, text: 'I look.', ...spends(35_000) }),
        { ...look, text: 'I look again.', ...spends(60_000) },
      ],
    });
    const session = await rig.delegate('Look around.', { limits: { tokens: 40_000 } });
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    const [first] = await rig.asks(session);
    assert.ok(first?.about.type === 'limit');
    assert.equal(rig.server.requestsOf('a').length, 1, 'asked before the request');
    const low = await rig.engine.answer(session, first.id, { type: 'raise', to: first.about.used }, null);
    assert.deepEqual(low, {
      ok: false,
      error: { code: 'refused', refusal: { code: 'limit_bounds', limit: 'tokens' } },
    });
    await rig.answer(session, first, { type: 'raise', to: 100_000 });
    await rig.until(session, (state) => !state.open.asks.includes(first.id));
    const [second] = await rig.asks(session);
    assert.ok(second);
    await rig.answer(session, second, { type: 'end' });
    // The lead's turn asks too: the whole session is at its limit.
    const [third] = await rig.asks(session);
    assert.ok(third);
    await rig.answer(session, third, { type: 'raise', to: null });
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'limits/tokens', session);
  });

  it('money: counted at the price of the model, asked of all who meet the limit, and raised for all at once', async () => {
    const rig = await start({ price: { input: 10, cachedInput: 1, output: 100 } });
    rig.server.script({
      lead: [
        { ...calls(member('a'), member('b')), ...spends(1000, 10) },
        say('Two are at work.', spends(1000, 10)),
        say('One is done.', spends(100, 10)),
        say('Two are done.', spends(100, 10)),
      ],
      a: [hold('a', { ...look, ...spends(5000, 2000) }), hold('a ends', say('a: done.', spends(100, 10)))],
      b: [hold('b', { ...look, ...spends(5000, 2000) }), hold('b ends', say('b: done.', spends(100, 10)))],
    });
    const session = await rig.delegate('Look around.', { limits: { microUsd: 500_000 } });
    await rig.turns(session, 'lead', 1);
    await rig.engine.settings(session, { limits: { microUsd: 250_000 } });
    for (const name of ['a', 'b']) {
      rig.server.release(name);
      await rig.parked(session, name);
    }
    const asks = await rig.asks(session, 2);
    const [ask] = asks;
    assert.ok(ask?.about.type === 'limit');
    await rig.answer(session, ask, { type: 'raise', to: 5_000_000 });
    await rig.server.held('a ends');
    await rig.server.held('b ends');
    rig.server.release('a ends');
    await rig.turns(session, 'lead', 2);
    rig.server.release('b ends');
    await rig.turns(session, 'lead', 3);
    const total = [2 * 11_000, 2 * 250_000, 4 * 2000].reduce((sum, each) => sum + each);
    const state = rig.engine.state(session);
    const used = (state?.agents.pages[0] ?? []).reduce((sum, agent) => sum + (agent.usage.microUsd ?? 0), 0);
    assert.equal(used, total);
    await sameTranscript(rig, 'limits/money', session);
  });

  it('no limit is one only when the person says so, and a model without a price costs nothing that is known', async () => {
    const rig = await start({ price: null });
    rig.server.script({ lead: [{ ...look, ...spends(3_000_000) }, say('Done.', spends(3_000_000))] });
    const session = await rig.delegate('Look around.', { limits: { tokens: null, microUsd: 1 } });
    await rig.turns(session, 'lead', 1);
    await sameTranscript(rig, 'limits/none', session);
  });
});
