import assert from 'node:assert/strict';
import type { LiveUpdate } from '../../src/runtime/engine';
import { ModelKeys } from '../../src/vscode/models/keys';
import { sameTranscript } from '../support/golden';
import { hurried } from '../support/hurriedClock';
import { MemorySecrets } from '../support/memorySecrets';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, cut, hold, say, status } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });

describe("the model server's faults", function () {
  const { start } = scenes(this);
  const scene = async () => {
    const rig = await start({ parts: { clock: hurried(20) }, files: { 'a.txt': 'alpha\n' } });
    return { rig, retries: retriesOf(rig) };
  };
  const retriesOf = (rig: Rig): string[] => {
    const retries: string[] = [];
    rig.engine.onLive((update: LiveUpdate) => {
      if (update.type === 'retry') retries.push(`${update.attempt}: ${update.reason}`);
    });
    return retries;
  };

  it('a key that is changed counts from the next request on', async () => {
    const keys = new ModelKeys(new MemorySecrets(), (error) => {
      throw error;
    });
    const keyFor = (origin: string) => keys.get(origin);
    const rig = await start({ parts: { keyFor, onKeyChanged: keys.onDidChange } });
    const { origin } = new URL(rig.server.url);
    await keys.set(origin, 'old');
    rig.server.script({ lead: [hold('first', say('One.')), say('Two.')] });
    const session = await rig.delegate('Count.');
    await rig.server.held('first');
    await keys.set(origin, 'new');
    rig.server.release('first');
    await rig.turns(session, 'lead', 1);
    await rig.engine.send(session, null, 'On.');
    await rig.turns(session, 'lead', 2);
    assert.deepEqual(
      rig.server.log.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer new'],
    );
  });

  it('a rate limit and an overload are waited out, seen live, and cost the transcript nothing', async () => {
    const { rig, retries } = await scene();
    rig.server.script({
      lead: [
        status(429, { retryAfter: 1 }),
        call('read', { path: 'a.txt' }),
        status(503),
        cut(say('It says al')),
        say('It says alpha.'),
      ],
    });
    const session = await rig.delegate('What does it say?');
    await rig.turns(session, 'lead', 1);
    // One who comes a moment too early to the closed gate waits once more for the same reason.
    assert.equal(new Set(retries).size, 3);
    assert.match(retries[0] ?? '', /^2: 429/);
    assert.equal(await rig.lastAnswer(session), 'It says alpha.');
    await sameTranscript(rig, 'model-faults/waited-out', session);
  });

  it('a refused key ends the turn with the reason; the person may go on when it is mended', async () => {
    const { rig } = await scene();
    rig.server.script({
      lead: [call('read', { path: 'a.txt' }), status(401), say('It says alpha.')],
    });
    const session = await rig.delegate('What does it say?');
    await rig.turns(session, 'lead', 1);
    await rig.engine.send(session, null, 'The key is right now. Go on.');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'model-faults/key', session);
  });

  it('a stream that breaks for good ends the member with an error; its manager is told and wakes it again', async () => {
    const { rig } = await scene();
    rig.server.script({
      lead: [
        member('a'),
        say('a is at work.'),
        call('team_send', { to: 'a', message: 'Please try again.' }),
        say('a tries again.'),
        say('It says alpha.'),
      ],
      a: [
        hold('a', call('read', { path: 'a.txt' })),
        cut(say('It says al', { times: 4 })),
        hold('a again', say('It says alpha.')),
      ],
    });
    const session = await rig.delegate('What does it say?');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    rig.server.release('a again');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'model-faults/broken', session);
  });

  it('calls that make no sense get an answer that says what was wrong, and nothing is done', async () => {
    const { rig } = await scene();
    rig.server.script({
      lead: [
        calls(
          call('frobnicate', { x: 1 }),
          call('read', '{"path": "a.t'),
          call('read', '{"file": "a.txt"}'),
          call('write', { path: 'b.txt' }),
          call('write', { path: 'b.txt', content: 'x', mode: 'append' }),
          call('team_read', ''),
          call('team_read', 'null'),
          call('read', '[]'),
        ),
        {
          ...call('write', '{"path": "b.txt", "content": "this is where the answer was cut'),
          finish: 'length',
        },
        say('Nothing went through.'),
      ],
    });
    const session = await rig.delegate('Try things.');
    await rig.turns(session, 'lead', 1);
    await sameTranscript(rig, 'model-faults/calls', session);
  });

  it('L-59 an empty reply is reported as such; one cut off at the output limit is an error', async () => {
    const { rig } = await scene();
    rig.server.script({
      lead: [
        member('a'),
        say('a is at work.'),
        say('a said nothing.'),
        say('b was cut off.', { finish: 'length' }),
      ],
      a: [hold('a', say(''))],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await rig.engine.send(session, null, 'And b?');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'model-faults/empty', session);
  });

  it('fault 23: a member whose transcript no longer fits ends with an error that says so, and can be stopped', async () => {
    const { rig } = await scene();
    const tooLong = status(400, {
      raw: '{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}',
    });
    rig.server.script({
      lead: [
        member('a'),
        say('a is at work.'),
        calls(call('team_stop', { name: 'a' }), member('b')),
        say('b is at work.'),
      ],
      a: [hold('a', call('read', { path: 'a.txt' })), tooLong],
      b: [hold('b')],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await rig.server.held('b');
    await sameTranscript(rig, 'model-faults/too-long', session);
  });

  it('a model that is no longer set up ends what would use it, with its name; members of another go on', async () => {
    const { rig } = await scene();
    const other = { ...rig.entry, id: 'other', label: 'Other' };
    rig.entries = [rig.entry, other];
    rig.server.script({
      lead: [
        call('team_add', { name: 'a', role: 'a', task: 'x', goal: 'y', model: 'third' }),
        call('team_add', { name: 'a', role: 'a', task: 'x', goal: 'y', model: 'other', agent: 'genius' }),
        call('team_add', { name: 'a', role: 'a', task: 'x', goal: 'y', model: 'other', agent: 'explore' }),
        say('a explores.'),
        call('team_send', { to: 'a', message: 'And more?' }),
        say('I have asked a.'),
        say('a has no model.'),
      ],
      a: [hold('a', say('Found.'))],
    });
    const session = await rig.delegate('Explore.');
    await rig.turns(session, 'lead', 1);
    rig.entries = [rig.entry];
    rig.server.release('a');
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'model-faults/gone', session);
  });
});
