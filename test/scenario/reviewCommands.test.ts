import assert from 'node:assert/strict';
import type { State } from '../../src/shared/state';
import { type ChangeAct, changeAct } from '../../src/vscode/changeActs';
import { redo, undoFile, undoHunk, undoTask } from '../../src/vscode/commands/changes';
import { accept, requestChanges, review } from '../../src/vscode/commands/review';
import { deskOn, rigModel } from '../support/desk';
import { Rig } from '../support/rig';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';
import { call, calls, say } from '../support/scriptedModel';

describe('commands on what members have changed', () => {
  let rig: Rig;
  afterEach(() => rig.end());

  const begin = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n';
  const changed = 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nTWELVE\n';

  /** A member has reported two changed files. */
  const setUp = async (...script: readonly Reaction[]) => {
    rig = await Rig.start({ files: { 'a.txt': begin } });
    rig.server.script({
      lead: [
        call('team_add', { name: 'ui', role: 'page', task: 'Write it.', goal: 'A page.' }),
        say('I wait.'),
        say('It is there.'),
        say('It is there again.'),
      ],
      ui: [
        calls(call('read', { path: 'a.txt' }), call('write', { path: 'b.txt', content: 'b\n' })),
        call('write', { path: 'a.txt', content: changed }),
        say('Written.'),
        say('Nothing more to change.'),
      ],
    });
    const asker = new ScriptedAsker(...script);
    const parts = await deskOn(rig, asker, { models: [rigModel(rig)] });
    const session = await rig.delegate('A page.');
    await parts.desk.sessions.look(session);
    await rig.turns(session, 'lead', 2);
    await rig.quiet(session);
    const state = (): State => {
      const now = rig.engine.state(session);
      assert.ok(now);
      return now;
    };
    return { ...parts, asker, session, state };
  };
  const accepted = (state: State) =>
    [...state.outcomes.pages.flat()].map((outcome) => outcome.accepted !== null);

  it('Review Deliverables offers who has reported, opens all files at once and then asks for the verdict', async () => {
    const { desk, done, asker, session } = await setUp({ pick: 'ui' }, { choose: 'Accept' });
    await review(desk, []);
    assert.deepEqual(asker.asked, ['Whose work should be reviewed?']);
    assert.equal(asker.told[0], 'ui reports, with 2 changed files.');
    await new Promise(setImmediate);
    assert.deepEqual(done, [`all diffs a1`, 'run teamroom.accept']);
    assert.ok(session);
  });

  it('Accept clears it with a sentence; with nothing left to review each command says so', async () => {
    const { desk, asker, state } = await setUp({ pick: 'ui' });
    await accept(desk, []);
    assert.deepEqual(accepted(state()), [true]);
    assert.deepEqual(asker.told, ['Accepted: what ui changed. It can still be undone.']);
    for (const command of [review, accept, requestChanges]) {
      await command(desk, []);
      assert.match(asker.told.at(-1) ?? '', /^Nothing is to review/);
    }
    assert.deepEqual(asker.left, []);
  });

  it('Request Changes asks what for, and the member starts with these words', async () => {
    const { desk, asker, session } = await setUp(
      { pick: 'ui' },
      { type: ' ', complaint: /empty/ },
      { type: 'Shorter, please.' },
    );
    await requestChanges(desk, []);
    await rig.turns(session, 'lead', 3);
    assert.ok((await rig.room(session)).includes('#2 person person -> ui: Shorter, please.'));
    assert.deepEqual(asker.told, ['ui was told what to change.']);
  });

  it('Undo Everything of This Task lists the files first, tells what was left and why, and can be undone', async () => {
    const { desk, asker, session, done } = await setUp(
      { confirm: false },
      { confirm: true },
      { choose: 'Undo This' },
    );
    assert.equal(await undoTask(desk, []), null);
    assert.match(
      asker.asked[0] ?? '',
      /^Undo what the agents changed in 2 files for "A page\."\?\nb\.txt\na\.txt\n/,
    );
    await rig.write('b.txt', 'mine\n');
    const report = await undoTask(desk, [{ type: 'session', session }]);
    assert.deepEqual(report?.undone, ['a.txt']);
    assert.equal(
      asker.told[0],
      'Undone: what the agents changed in 1 file. Left as it is: b.txt (changed since by you or a program)',
    );
    await new Promise(setImmediate);
    assert.deepEqual(done, ['run teamroom.redo']);
    assert.equal(await rig.read('a.txt'), begin);
    assert.deepEqual((await redo(desk, [{ session, undo: report?.id }]))?.undone, ['a.txt']);
    assert.equal(asker.told[1], 'The undo was undone in 1 file.');
    assert.equal(await rig.read('a.txt'), changed);
    await redo(desk, []);
    assert.equal(asker.told.at(-1), 'There is no undo that could be undone.');
  });

  it('Undo Hunk offers the places of a file, and undoes the one chosen without a question', async () => {
    const { desk, asker } = await setUp({ pick: 'ui' }, { pick: 'a.txt' }, { pick: 'Line 9' });
    const report = await undoHunk(desk, []);
    assert.deepEqual(report?.undone, ['a.txt']);
    assert.equal(await rig.read('a.txt'), changed.replace('TWELVE', '12'));
    assert.deepEqual(asker.told, ['Undone: one place that ui changed in a.txt.']);
    assert.deepEqual(asker.left, []);
  });

  it('acts of the Room do the same, by what was shown there', async () => {
    const { desk, session, state } = await setUp({ confirm: true });
    const act = (what: ChangeAct) => changeAct(desk, session, what);
    const outcome = [...state().outcomes.pages.flat()][0]?.id;
    const agent = [...state().agents.pages.flat()].find(({ name }) => name === 'ui')?.id;
    assert.ok(outcome !== undefined && agent !== undefined);
    assert.deepEqual(await act({ type: 'requestChanges', outcome, text: ' ' }), {
      ok: false,
      words: "An empty message can't be sent.",
    });
    assert.deepEqual(await act({ type: 'accept', outcome }), { ok: true, words: '' });
    assert.deepEqual(await act({ type: 'accept', outcome }), {
      ok: false,
      words: 'report is accepted, so that is not possible now.',
    });
    const gone = act({ type: 'undoHunk', agent, path: 'a.txt', hunk: `${'0'.repeat(32)}-0` });
    await assert.rejects(gone, { name: 'TeamroomError', message: /not there any more as it was shown/ });
    await act({ type: 'undoTask' });
    assert.equal(await rig.read('a.txt'), begin);
    await act({ type: 'redo', undo: 'u0' as never });
    assert.equal(await rig.read('a.txt'), changed);
  });

  it('Undo of one file asks for this file only', async () => {
    const { desk, asker, session } = await setUp({ confirm: true });
    await undoFile(desk, [{ session, agent: 'a1', path: 'a.txt' }]);
    assert.equal(await rig.read('a.txt'), begin);
    assert.equal(await rig.read('b.txt'), 'b\n');
    assert.match(asker.asked[0] ?? '', /^Undo what ui changed in a\.txt\?/);
  });
});
