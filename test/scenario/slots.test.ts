import assert from 'node:assert/strict';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });

describe('slots', function () {
  const { start } = scenes(this);

  it('L-44 L-84..L-87 two: members wait their turn, the lead goes first, team_add says that one waits', async () => {
    const rig = await start({ parallel: 2 });
    rig.server.script({
      lead: [
        calls(member('a'), member('b'), member('c')),
        hold('lead', say('Three are on it.')),
        hold('lead again', say('a is done.')),
        say('b is done.'),
        say('All are done.'),
      ],
      a: [hold('a', say('a: done.'))],
      b: [hold('b', say('b: done.'))],
      c: [hold('c', say('c: done.'))],
    });
    const session = await rig.delegate('Three parts.');
    await rig.server.held('a');
    await rig.server.held('lead');
    // Both slots are taken: b and c wait. The lead's end lets b go on, a's end lets the lead go before c.
    rig.server.release('lead');
    await rig.server.held('b');
    rig.server.release('a');
    await rig.server.held('lead again');
    assert.equal(rig.server.requestsOf('c').length, 0);
    rig.server.release('lead again');
    await rig.server.held('c');
    rig.server.release('b');
    await rig.turns(session, 'lead', 3);
    rig.server.release('c');
    await rig.turns(session, 'lead', 4);
    const order = rig.server.log.map((request) => request.agent).slice(3);
    assert.deepEqual(order, ['b', 'lead', 'c', 'lead', 'lead']);
    await sameTranscript(rig, 'slots/two', session);
  });

  it('L-19 L-101 one: no team is offered, the agent works alone', async () => {
    const rig = await start({ parallel: 1 });
    rig.server.script({
      lead: [
        call('team_add', { name: 'a', role: 'a', task: 'x', goal: 'y' }),
        call('write', { path: 'a.txt', content: 'alone\n' }),
        say('I did it alone.'),
      ],
    });
    const session = await rig.delegate('Do it.');
    await rig.quiet(session);
    await sameTranscript(rig, 'slots/one', session);
  });

  it('L-83 an agent that waits for the person keeps its slot', async () => {
    const rig = await start({ parallel: 2 });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Both.'), say('a is done.'), say('b is done.')],
      a: [hold('a', call('bash', { command: 'touch a.txt' })), say('a: done.')],
      b: [hold('b', call('bash', { command: 'touch b.txt' })), hold('b ends', say('b: done.'))],
    });
    const session = await rig.delegate('Two parts.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.asks(session);
    rig.server.release('b');
    const asks = await rig.asks(session, 2);
    // Both slots are kept by parked members: what is said to the lead waits for one.
    await rig.engine.send(session, null, 'How far are you?');
    await rig.quiet(session);
    assert.equal(rig.server.requestsOf('lead').length, 2);
    const [first, second] = asks;
    assert.ok(first && second);
    await rig.answer(session, second, { type: 'deny', words: '' });
    await rig.server.held('b ends');
    assert.equal(rig.server.requestsOf('lead').length, 2);
    rig.server.release('b ends');
    await rig.turns(session, 'lead', 2);
    await rig.answer(session, first, { type: 'allow', scope: 'once' });
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'slots/kept', session);
  });

  it('L-83 two sessions share the slots of the model and the leases of the files', async () => {
    const rig = await start({ parallel: 2, files: { 'shared.txt': 'alpha\nbeta\n' } });
    const edit = (old: string, to: string) => call('edit', { path: 'shared.txt', old, new: to });
    rig.server.script({
      lead: (request) => {
        const said = request.messages.map((message) => message.content).join('\n');
        const answers = request.messages.filter((message) => message.role === 'assistant').length;
        if (said.includes('the first session')) {
          return (
            [calls(call('read', { path: 'shared.txt' }), edit('alpha', 'first')), hold('first')][answers] ??
            say('First.')
          );
        }
        if (said.includes('the second session')) {
          return (
            [
              calls(call('read', { path: 'shared.txt' }), edit('beta', 'second')),
              hold('second', edit('beta', 'second')),
            ][answers] ?? say('Second: done.')
          );
        }
        return say('Third.');
      },
    });
    const first = await rig.delegate('You are the first session.');
    await rig.server.held('first');
    const second = await rig.delegate('You are the second session.');
    await rig.server.held('second');
    const third = await rig.delegate('You are the third session.');
    assert.equal(rig.server.log.length, 4, 'the third waits for a slot');
    rig.server.release('first');
    await rig.turns(first, 'lead', 1);
    await rig.turns(third, 'lead', 1);
    rig.server.release('second');
    await rig.turns(second, 'lead', 1);
    assert.equal(await rig.read('shared.txt'), 'first\nsecond\n');
    await sameTranscript(rig, 'slots/two-sessions', first, second, third);
  });
});
