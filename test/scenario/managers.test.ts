import assert from 'node:assert/strict';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const FIXED = 'You lead a team: give this to a member (team_add or team_send).';

describe('a manager', function () {
  const { start } = scenes(this);

  it('L-67..L-73 is refused work before anybody is asked, may read by command, and works again without members', async () => {
    const rig = await start({
      mode: 'ask',
      files: { 'a.txt': 'alpha\n', 'done.sh': 'echo ran >> ran.txt\n', '.env': 'KEY=1\n' },
    });
    rig.server.script({
      lead: [
        calls(
          call('team_add', { name: 'area', role: 'area', task: 'Lead the area.', goal: 'It.', lead: true }),
          call('write', { path: 'b.txt', content: 'by the lead\n' }),
        ),
        calls(
          call('read', { path: 'a.txt' }),
          call('edit', { path: 'a.txt', old: 'alpha', new: 'beta' }),
          call('write', { path: '.vscode/settings.json', content: '{}' }),
          call('bash', { command: 'cat a.txt | grep -c alpha' }),
          call('bash', { command: 'sh done.sh' }),
          call('bash', { command: 'cat a.txt && sh done.sh' }),
          call('bash', { command: 'cat a.txt > c.txt' }),
          call('bash', { command: 'cat .env' }),
          call('bash', { command: 'echo "unfinished' }),
          call('edit', { path: 'missing.txt', old: 'x', new: 'y' }),
        ),
        say('area leads.'),
        say('area waits for hand.'),
        calls(call('team_stop', { name: 'all' }), call('write', { path: 'b.txt', content: 'by the lead\n' })),
        say('I wrote it myself.'),
      ],
      area: [
        hold('area', call('team_add', { name: 'hand', role: 'hand', task: 'Do it.' })),
        call('bash', { command: 'sh done.sh' }),
        say('hand is at work.'),
      ],
      hand: [hold('hand')],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('area');
    await rig.turns(session, 'lead', 2);
    const sent = await rig.engine.send(session, null, 'Stop them and do it yourself.');
    assert.ok(sent.ok);
    const [ask, ...more] = await rig.asks(session);
    assert.ok(ask);
    assert.deepEqual(more, []);
    await rig.answer(session, ask, { type: 'allow', scope: 'once' });
    await rig.turns(session, 'lead', 3);

    const results =
      rig.server
        .requestsOf('lead')
        .at(-1)
        ?.messages.filter((each) => each.role === 'tool') ?? [];
    assert.deepEqual(
      results.map((each) => each.content === FIXED),
      [false, true, false, true, true, false, true, true, true, true, true, true, false, false],
    );
    await sameTranscript(rig, 'managers/do-not-work', session);
  });

  it('L-25 is the lead from the start when the size asks for two', async () => {
    const rig = await start({ settings: { defaultSize: () => ({ min: 3, max: 5 }) } });
    rig.server.script({
      lead: [call('write', { path: 'b.txt', content: 'x' }), say('I need a member first.')],
    });
    const session = await rig.delegate('Write b.txt.');
    await rig.quiet(session);
    await sameTranscript(rig, 'managers/from-the-start', session);
  });
});
