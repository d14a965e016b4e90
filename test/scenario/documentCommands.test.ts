import assert from 'node:assert/strict';
import {
  copyMarkdown,
  exportTranscript,
  search,
  showRequest,
  showTranscript,
} from '../../src/vscode/commands/documents';
import { documentText } from '../../src/vscode/documents';
import { deskOn, rigModel } from '../support/desk';
import { Rig } from '../support/rig';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';
import { call, say } from '../support/scriptedModel';

/** Moments differ from run to run; everything else is compared. */
const timeless = (text: string) =>
  text
    .replace(/\b\d\d:\d\d\b/g, 'TIME')
    .replace(/\d[\d.]*k? tokens in \(.*?\), \d+ out, \$[\d.]+, \d+\.\d s/g, 'USAGE, COST, N s')
    .replace(/\(s\d+\)/g, '(ID)');

describe('commands that show what was said and done', () => {
  let rig: Rig;
  afterEach(() => rig.end());

  const worked = async (...script: readonly Reaction[]) => {
    rig = await Rig.start({ files: { 'a.txt': 'one\n' } });
    const asker = new ScriptedAsker(...script);
    const made = await deskOn(rig, asker, { models: [rigModel(rig)] });
    rig.server.script({
      lead: [
        call('team_add', { name: 'w', role: 'works', task: 'Read `a.txt`.', goal: 'g' }),
        say('I wait.'),
        say('# All done'),
      ],
      w: [call('read', { path: 'a.txt' }), say('It says one.')],
    });
    const session = await rig.delegate('Look.');
    await rig.turns(session, 'lead', 2);
    await made.desk.sessions.look(session);
    return { ...made, asker, session };
  };

  it('the Room is copied and exported as Markdown; a message on its own', async () => {
    const { desk, done, asker } = await worked({ pick: 'Markdown' });
    const room = [
      '# Look.',
      '## You → lead · TIME\n\n> Look.\n\n- lead: read and dealt with TIME',
      '## lead → You · TIME\n\n> I wait.',
      '## #1 w → lead · TIME\n\n> It says one.\n\n- lead: read and dealt with TIME',
      '## lead → You · TIME\n\n> # All done',
    ];
    await copyMarkdown(desk, []);
    await copyMarkdown(desk, [{ webview: 'teamroom.room', teamroomRow: 'm2' }]);
    assert.equal(await exportTranscript(desk, []), '/Look.md');
    assert.deepEqual(done.map(timeless), [
      `copied\n${room.join('\n\n')}\n`,
      `copied\n${room[3]}`,
      `saved Look.md\n${room.join('\n\n')}\n`,
    ]);
    assert.deepEqual(asker.told, ['The transcript was written to /Look.md.']);
  });

  it('as JSON Lines the export has every event', async () => {
    const { desk, done, session } = await worked({ pick: 'JSON Lines' });
    await exportTranscript(desk, [{ session }]);
    const [name, ...lines] = (done[0] ?? '').trimEnd().split('\n');
    assert.equal(name, 'saved Look.jsonl');
    assert.equal(lines.length, rig.engine.state(session)?.seq);
    assert.deepEqual(
      lines.slice(0, 2).map((line) => (JSON.parse(line) as { type: string }).type),
      ['session.created', 'team.created'],
    );
  });

  it('what an agent did is a document, from a row of the Room or from a list', async () => {
    const { desk, done, session } = await worked({ pick: 'w' });
    await showTranscript(desk, [{ webview: 'teamroom.room', teamroomRow: 'm2' }]);
    await showTranscript(desk, []);
    assert.deepEqual(done, ['transcript a1', 'transcript a1']);
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok);
    const address = { session, kind: 'agent', id: 'a1', which: 'w.md' } as const;
    assert.equal(
      timeless((await documentText(rig.engine, opened.value, session, address)) ?? ''),
      [
        '# w — works',
        '## Turn 1 · TIME · scripted',
        '### It was told · TIME',
        '> Read `a.txt`.',
        '### Step 1 (ID) · TIME',
        '*USAGE, COST, N s*',
        '**`read`**',
        '```json\n{\n  "path": "a.txt"\n}\n```',
        '*ok · TIME*',
        '```\na.txt (1 line, 4 bytes)\n1\tone\n```',
        '### Step 2 (ID) · TIME',
        '*USAGE, COST, N s*',
        '> It says one.',
        '*Ended TIME: final*\n',
      ].join('\n\n'),
    );
  });

  it('the exact request of a step is a document', async () => {
    const { desk, done, session } = await worked({ pick: /^Step 2/ });
    await showRequest(desk, [{ session, agent: 'a1' }]);
    const [, step] = (done[0] ?? '').split(' ');
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok && step !== undefined);
    const address = { session, kind: 'step', id: step, which: 'x' } as const;
    const text = await documentText(rig.engine, opened.value, session, address);
    assert.deepEqual(JSON.parse(text ?? ''), rig.server.requestsOf('w')[1]?.body);
  });

  it('words are looked for in the messages, and the row of the one that was chosen is shown', async () => {
    const { desk, done, asker } = await worked({ type: 'SAY' }, { pick: 'w' });
    await search(desk, []);
    assert.deepEqual(done, ['row m2']);
    assert.deepEqual(asker.left, []);
  });
});
