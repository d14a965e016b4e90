import assert from 'node:assert/strict';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

describe('the main job', function () {
  const { start } = scenes(this);

  it('is done by a lead, two members and a third under one of them: files, commands, messages, reports', async () => {
    const rig = await start({
      files: {
        'src/a.txt': 'alpha\nbeta\n',
        'docs/notes.md': '# Notes\n\nTo do.\n',
        'check.sh': 'echo fine\n',
      },
    });
    rig.server.script({
      lead: [
        calls(
          call('team_add', {
            name: 'parser',
            role: 'parser',
            task: 'Write the grammar of src/a.txt to src/grammar.txt.',
            goal: 'A documented grammar.',
          }),
          call('team_add', { name: 'docs', role: 'documentation', task: 'See to docs/.', lead: true }),
        ),
        say('Parser and docs are at work.'),
        say('Docs has begun; I wait for the parser.'),
        say('Docs is through; I wait for the parser.'),
        say('The grammar is in src/grammar.txt and docs/notes.md tells of it.'),
      ],
      parser: [
        hold(
          'parser',
          calls(call('read', { path: 'src/a.txt' }), call('bash', { command: 'wc -l src/a.txt' })),
        ),
        call('write', { path: 'src/grammar.txt', content: 'letter = alpha | beta\n' }),
        call('team_send', { to: ['checker'], message: 'The grammar is in src/grammar.txt.' }),
        hold('parser done', say('src/grammar.txt has the grammar, two letters.')),
      ],
      docs: [
        hold(
          'docs',
          call('team_add', { name: 'checker', role: 'checker', task: 'Check what docs/notes.md says.' }),
        ),
        say('checker is on docs/notes.md.'),
        say('docs/notes.md is right.'),
      ],
      checker: [
        hold('checker', call('read', { path: 'docs/notes.md' })),
        calls(
          call('edit', { path: 'docs/notes.md', old: 'To do.', new: 'See src/grammar.txt.' }),
          call('bash', { command: 'sh check.sh' }),
        ),
        say('docs/notes.md points to the grammar; check.sh passed.'),
      ],
    });
    const session = await rig.delegate('Give this folder a documented grammar.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('docs');
    await rig.turns(session, 'lead', 2);
    rig.server.release('parser');
    await rig.server.held('parser done');
    rig.server.release('checker');
    const [ask] = await rig.asks(session);
    assert.ok(ask);
    await rig.answer(session, ask, { type: 'allow', scope: 'once' });
    await rig.turns(session, 'lead', 3);
    rig.server.release('parser done');
    await rig.turns(session, 'lead', 4);

    // What counts is what the models were sent, not what lies in the store (fault 14).
    const sent = (agent: string) =>
      rig.server
        .requestsOf(agent)
        .at(-1)
        ?.messages.map((each) => each.content) ?? [];
    assert.ok(
      sent('checker').includes('[Team message from parser to checker:]\nThe grammar is in src/grammar.txt.'),
    );
    assert.ok(
      sent('docs').includes(
        '[Team report from checker to docs:]\ndocs/notes.md points to the grammar; check.sh passed.',
      ),
    );
    assert.deepEqual(
      sent('lead').filter((text) => text.startsWith('[Team report')),
      [
        '[Team report from docs to lead:]\nchecker is on docs/notes.md.',
        '[Team report from docs to lead:]\ndocs/notes.md is right.',
        '[Team report from parser to lead:]\nsrc/grammar.txt has the grammar, two letters.',
      ],
    );
    assert.equal(await rig.read('docs/notes.md'), '# Notes\n\nSee src/grammar.txt.\n');
    await sameTranscript(rig, 'main-job', session);
  });

  it('fault 20: who asks for news sees that a member waits for the person, and is asked back when it adds a second one', async () => {
    const rig = await start();
    const tester = (name: string) =>
      call('team_add', { name, role: 'Tester', task: 'Run the tests.', goal: 'Tests pass.' });
    rig.server.script({
      lead: [
        tester('a'),
        say('a tests.'),
        calls(call('team_read'), tester('b')),
        say('a only waits for you.'),
      ],
      a: [hold('a', call('bash', { command: 'npm test' }))],
      b: [hold('b')],
    });
    const session = await rig.delegate('Test it.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.parked(session, 'a');
    await rig.engine.send(session, null, 'Is a still alive?');
    await rig.turns(session, 'lead', 2);
    await rig.server.held('b');
    await sameTranscript(rig, 'alive', session);
  });
});
