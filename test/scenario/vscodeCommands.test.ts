import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SAMPLE_MARKER } from '../../src/model/rehearsal/sample';
import { openRuns } from '../../src/shared/lookup';
import type { State } from '../../src/shared/state';
import { messageAgent, stopAgent, stopAll, stopRow } from '../../src/vscode/commands/agents';
import { openDiff, undoFile, undoMember } from '../../src/vscode/commands/changes';
import { delegate, newTeam, readSize } from '../../src/vscode/commands/delegate';
import { TeamroomError } from '../../src/vscode/commands/desk';
import { changeKey, chooseModel } from '../../src/vscode/commands/models';
import { rehearse } from '../../src/vscode/commands/rehearse';
import { resume } from '../../src/vscode/commands/resume';
import {
  archiveSession,
  deleteSession,
  renameSession,
  showArchived,
} from '../../src/vscode/commands/sessions';
import { deskOn, rigModel } from '../support/desk';
import { processesIn } from '../support/processesIn';
import { Rig } from '../support/rig';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';
import { call, hold, say } from '../support/scriptedModel';

describe('commands of the palette, on the engine', () => {
  let rig: Rig;
  afterEach(() => rig.end());

  const setUp = async (script: readonly Reaction[], options: Parameters<typeof Rig.start>[0] = {}) => {
    rig = await Rig.start(options);
    const asker = new ScriptedAsker(...script);
    return { asker, ...(await deskOn(rig, asker, { models: [rigModel(rig)] })) };
  };
  const only = (state: State | null): State => {
    assert.ok(state);
    return state;
  };

  it('Delegate asks for the task alone, starts the lead and shows the Room', async () => {
    const { desk, done, asker } = await setUp([
      { type: '  ', complaint: /empty/ },
      { type: 'write the changelog' },
    ]);
    rig.server.script({ lead: [say('Done.')] });
    const session = await delegate(desk, []);
    assert.ok(session);
    await rig.quiet(session);
    assert.deepEqual(await rig.room(session), [
      'user person -> lead: write the changelog',
      'answer lead -> person: Done.',
    ]);
    assert.deepEqual(done, ['room ']);
    assert.equal(desk.sessions.current, session);
    assert.deepEqual(asker.left, []);
  });

  it('Delegate says what the task is about when it was called on a file', async () => {
    rig = await Rig.start();
    rig.server.script({ lead: [say('Done.')] });
    const asker = new ScriptedAsker({ type: 'explain' });
    const { desk } = await deskOn(rig, asker, { models: [rigModel(rig)], subject: 'src/a.ts' });
    const session = await delegate(desk, []);
    assert.ok(session);
    await rig.quiet(session);
    assert.match((await rig.room(session))[0] ?? '', /explain\n\nAbout src\/a\.ts:/);
  });

  it('Change Key asks for the key of the server and keeps it for its origin alone', async () => {
    const { desk, asker } = await setUp([{ type: ' new-key ' }]);
    await changeKey(desk);
    assert.deepEqual(asker.told, [
      `The key for ${rig.server.url.replace('/v1', '')} counts from the next request on.`,
    ]);
    assert.equal(await desk.keys.get(rig.server.url.replace('/v1', '')), 'new-key');
    assert.deepEqual(asker.left, []);
  });

  it('without a model, Add Model comes first, and leaving it starts nothing', async () => {
    rig = await Rig.start();
    const asker = new ScriptedAsker('escape');
    const { desk } = await deskOn(rig, asker);
    assert.equal(await delegate(desk, []), null);
    assert.deepEqual(asker.asked, ['Where is the model served?']);
    assert.deepEqual(await rig.engine.listings(), []);
  });

  it('New Team sets size and mode of this team alone; auto says that commands are not sandboxed', async () => {
    const { desk, asker } = await setUp([
      { type: '2-9', complaint: /1 and 8/ },
      { type: '2-3' },
      { pick: 'Auto' },
      { confirm: true },
      { type: 'go' },
    ]);
    rig.server.script({ lead: [say('Done.')] });
    const session = await newTeam(desk, []);
    assert.ok(session);
    const { session: made } = only(await rig.quiet(session));
    assert.deepEqual(made?.settings.size, { min: 2, max: 3 });
    assert.equal(made?.settings.mode, 'auto');
    assert.ok(asker.asked.some((text) => text.includes('not sandboxed')));
  });

  it('New Team that is not sure about auto starts nothing', async () => {
    const { desk } = await setUp([{ type: '2' }, { pick: 'Auto' }, { confirm: false }]);
    assert.equal(await newTeam(desk, []), null);
    assert.deepEqual(await rig.engine.listings(), []);
  });

  it('sizes are read within their bounds', () => {
    const read = ['3', '2-5', ' 1 – 8 ', '0', '5-2', '2-9', 'x', ''].map((text) => readSize(text, 8));
    assert.deepEqual(read, [
      { min: 1, max: 3 },
      { min: 2, max: 5 },
      { min: 1, max: 8 },
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  const withMember = async (script: readonly Reaction[]) => {
    const parts = await setUp([{ type: 'go' }, ...script]);
    rig.server.script({
      lead: [
        call('team_add', { name: 'parser', role: 'parses', task: 'write a file', goal: 'g' }),
        hold('lead', say('I wait.')),
        say('Seen.'),
        say('Seen.'),
      ],
      parser: [
        call('write', { path: 'a.txt', content: 'one\n' }),
        hold('parser', say('ready')),
        say('again'),
      ],
    });
    const session = await delegate(parts.desk, []);
    assert.ok(session);
    await rig.until(session, (state) => state.changes.size === 1);
    return { ...parts, session };
  };

  it('Message offers who is there and writes to the one chosen', async () => {
    const { desk, session } = await withMember([{ pick: 'parser' }, { type: 'hurry' }]);
    await messageAgent(desk, []);
    const lines = await rig.room(session);
    assert.ok(
      lines.some((line) => /^#\d+ person person -> parser: hurry$/.test(line)),
      lines.join('\n'),
    );
  });

  it('Stop ends the one chosen, Stop All everybody, and with nobody left both say so', async () => {
    const { desk, session, asker } = await withMember([{ pick: 'parser' }]);
    assert.deepEqual(await stopAgent(desk, []), ['parser']);
    await stopAll(desk, []);
    const state = only(rig.engine.state(session));
    assert.deepEqual(openRuns(state), []);
    await stopAll(desk, []);
    assert.deepEqual(asker.told, ['No agent is working.']);
  });

  it("Undo Member's Changes lists the files, and undoes after a yes only", async () => {
    const { desk, asker, session } = await withMember([
      { pick: 'parser' },
      { confirm: false },
      { pick: 'parser' },
      { confirm: true },
    ]);
    assert.equal(await undoMember(desk, []), null);
    assert.equal(await rig.read('a.txt'), 'one\n');
    rig.server.release('parser');
    rig.server.release('lead');
    await rig.quiet(session);
    assert.deepEqual(await undoMember(desk, []), { id: 'u0', undone: ['a.txt'], refused: [] });
    await assert.rejects(rig.read('a.txt'), /ENOENT/);
    assert.match(asker.asked.at(-1) ?? '', /a\.txt/);
    assert.deepEqual(asker.told, ['Undone: what parser changed in 1 file.']);
    await undoMember(desk, []);
    assert.equal(asker.told.at(-1), 'No agent has changed a file.');
  });

  it('an undo that is refused leaves the file and names it with the reason', async () => {
    const { desk, asker, session } = await withMember([{ confirm: true }]);
    rig.server.release('parser');
    rig.server.release('lead');
    const state = only(await rig.quiet(session));
    await rig.write('a.txt', 'mine now\n');
    const parser = [...state.agents.pages.flat()].find((agent) => agent.name === 'parser');
    assert.ok(parser);
    const node = { type: 'file', session, agent: parser.id, path: 'a.txt' };
    await assert.rejects(undoFile(desk, [node]), (error: unknown) => {
      assert.ok(error instanceof TeamroomError);
      assert.match(error.message, /^Left as it is: a\.txt \(.+\)/);
      return true;
    });
    assert.equal(await rig.read('a.txt'), 'mine now\n');
    assert.equal(asker.told.length, 1);
  });

  it('the changes of one that was stopped are undone, not those of another with its name', async () => {
    const { desk, session } = await withMember([{ confirm: true }]);
    const parsers = () =>
      [...only(rig.engine.state(session)).agents.pages.flat()].filter((agent) => agent.name === 'parser');
    const [first] = parsers();
    assert.ok(first);
    await stopAll(desk, []);
    const lead = [
      call('team_add', { name: 'parser', role: 'parses', task: 'write another', goal: 'g' }),
      say('I wait.'),
    ];
    const parser = [call('write', { path: 'b.txt', content: 'two\n' })];
    // Functions take the place of what is left of the first script.
    rig.server.script({
      lead: () => lead.shift() ?? say('Done.'),
      parser: () => parser.shift() ?? say('ready'),
    });
    await rig.engine.send(session, null, 'again');
    await rig.until(session, (state) => state.changes.size === 2);
    await rig.quiet(session);
    assert.equal(parsers().length, 2);
    const report = await undoMember(desk, [{ type: 'agent', session, agent: first.id }]);
    assert.deepEqual(report, { id: 'u0', undone: ['a.txt'], refused: [] });
    assert.equal(await rig.read('b.txt'), 'two\n');
  });

  it('a row of the tree is taken without asking', async () => {
    const { desk, session, done } = await withMember([]);
    const parser = [...only(rig.engine.state(session)).agents.pages.flat()].find((a) => a.name === 'parser');
    assert.ok(parser);
    await openDiff(desk, [{ type: 'file', session, agent: parser.id, path: 'a.txt' }]);
    assert.deepEqual(done.at(-1), `diff ${parser.id} a.txt`);
    assert.deepEqual(await stopAgent(desk, [{ type: 'agent', session, agent: parser.id }]), ['parser']);
  });

  it('Stop on the row of a task ends all of it', async () => {
    const { desk, session } = await withMember([]);
    assert.deepEqual(await stopRow(desk, [{ type: 'session', session }]), ['parser', 'lead']);
    assert.deepEqual(openRuns(only(rig.engine.state(session))), []);
  });

  it('Resume asks about what a restart interrupted, and ends it when the person says so', async () => {
    const { session } = await withMember([]);
    await rig.close();
    await rig.open();
    const asker = new ScriptedAsker({ pick: /^End it/ });
    const { desk } = await deskOn(rig, asker, { models: [rigModel(rig)] });
    await resume(desk, []);
    const state = only(await rig.quiet(session));
    assert.deepEqual(
      openRuns(state).map((run) => run.phase.status),
      [],
    );
    await resume(desk, []);
    assert.deepEqual(asker.told, ['Nothing is interrupted.']);
    assert.match(asker.asked[0] ?? '', /parser/);
  });

  it('Delete Session asks first, says what stops with it, and deletes the one that was named or chosen', async () => {
    const { desk, box, asker } = await setUp(
      [{ confirm: false }, { confirm: true }, { pick: 'Another' }, { confirm: true }],
      { mode: 'auto' },
    );
    rig.server.script({
      lead: [call('bash', { command: 'sleep 1000', background: true }), say('It runs.'), say('Done.')],
    });
    const first = await rig.delegate('Serve');
    await rig.turns(first, 'lead', 1);
    const second = await rig.delegate('Another');
    await rig.quiet(second);
    await desk.sessions.look(second);
    assert.equal(await deleteSession(desk, [{ type: 'session', session: first }]), null);
    assert.ok(box.engine.state(first), 'a question that is left deletes nothing');
    assert.equal(await deleteSession(desk, [{ type: 'session', session: first }]), first);
    assert.match(asker.asked.at(-1) ?? '', /Delete "Serve"\?/);
    assert.deepEqual(
      desk.sessions.listings.map(({ title }) => title),
      ['Another'],
    );
    assert.equal(desk.sessions.current, second, 'what is looked at stays');
    assert.equal(await deleteSession(desk, []), second);
    assert.deepEqual([desk.sessions.listings, desk.sessions.current], [[], null]);
    assert.equal(await deleteSession(desk, []), null);
    assert.deepEqual(asker.told, ['There is no team yet. Delegate a task first.']);
    assert.deepEqual(await processesIn(rig.workspace), []);
  });

  it('Rename, Archive and Show Archived: what is put away is in no list, and comes back with a word of the person', async () => {
    const { desk, asker, done } = await setUp([
      { type: ' ', complaint: /empty/ },
      { type: 'Report page' },
      { pick: 'Report page' },
      { pick: 'Report page' },
    ]);
    rig.server.script({ lead: [say('Done.'), say('Done too.'), hold('third'), say('Here again.')] });
    const session = await rig.delegate('do it');
    await rig.quiet(session);
    const other = await rig.delegate('another');
    await rig.quiet(other);
    await desk.sessions.look(session);
    const titles = () => desk.sessions.listings.map(({ title }) => title);
    /** The lists follow the engine; resolves when they are so. */
    const lists = (...wanted: readonly string[]) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (titles().join() !== wanted.join()) return;
          listening.dispose();
          resolve();
        };
        const listening = desk.sessions.onDidChange(look);
        look();
      });
    await renameSession(desk, [{ type: 'session', session }]);
    await lists('another', 'Report page');
    await archiveSession(desk, []);
    await lists('another');
    assert.deepEqual(
      desk.sessions.open().map(({ id }) => id),
      [other],
    );
    assert.equal(desk.sessions.current, other);
    await showArchived(desk);
    assert.equal(desk.sessions.current, session);
    await lists('another', 'Report page');
    assert.deepEqual(done, ['room ']);
    await showArchived(desk);
    assert.deepEqual(asker.told, ['No session is archived.']);

    await rig.engine.send(other, null, 'go on');
    await rig.server.held('third');
    await assert.rejects(archiveSession(desk, [{ type: 'session', session: other }]), { code: 'refused' });
    rig.server.release('third');
    await rig.quiet(other);
    await archiveSession(desk, [{ type: 'session', session: other }]);
    await lists('Report page');
    await rig.engine.send(other, null, 'once more');
    await rig.quiet(other);
    await lists('another', 'Report page');
  });

  it('Stop All says what it stopped in tasks that nobody looks at', async () => {
    const { desk, asker } = await setUp([]);
    rig.server.script({ lead: [hold('one', say('.')), hold('two', say('.'))] });
    await rig.delegate('One');
    await rig.delegate('Two');
    await stopAll(desk, []);
    assert.deepEqual(asker.told, ['Stopped 2 agents in 2 tasks.']);
  });

  it('Stop All and Stop Agent find what only has a command in the background', async () => {
    const { desk } = await setUp([{ pick: 'lead' }], { mode: 'auto' });
    const serves = [call('bash', { command: 'sleep 1000', background: true }), say('It runs.')];
    rig.server.script({ lead: [...serves, ...serves] });
    const one = await rig.delegate('Serve');
    await rig.turns(one, 'lead', 1);
    await stopAgent(desk, []);
    await rig.quiet(one);
    const two = await rig.delegate('Serve too');
    await rig.turns(two, 'lead', 1);
    await stopAll(desk, []);
    await rig.quiet(two);
    assert.deepEqual(await processesIn(rig.workspace), []);
  });

  it('Choose Model sets the model of new tasks', async () => {
    rig = await Rig.start();
    const asker = new ScriptedAsker({ pick: 'Other' });
    const other = { ...rigModel(rig), id: 'other', label: 'Other' };
    const { desk } = await deskOn(rig, asker, { models: [rigModel(rig), other] });
    await chooseModel(desk);
    assert.equal(desk.models.default()?.id, 'other');
  });

  it('Rehearse makes a new sample folder each time and opens it', async () => {
    rig = await Rig.start();
    const asker = new ScriptedAsker({ pick: /own storage/ }, { pick: /own storage/ });
    const { desk, done } = await deskOn(rig, asker);
    const first = await rehearse(desk, []);
    const second = await rehearse(desk, []);
    assert.ok(first !== null && second !== null && first !== second);
    assert.deepEqual(done, [`folder ${first}`, `folder ${second}`]);
    assert.match(await readFile(join(second, SAMPLE_MARKER), 'utf8'), /Teamroom made this folder/);
  });
});
