import assert from 'node:assert/strict';
import type { SessionId } from '../../src/shared/ids';
import { agentNamed } from '../../src/shared/lookup';
import { Projection } from '../../src/shared/project/projection';
import type { MessageRow } from '../../src/shared/protocol';
import { deliverableNamed, toReview } from '../../src/shared/review';
import type { State } from '../../src/shared/state';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, say } from '../support/scriptedModel';

const write = (path: string, content: string) => call('write', { path, content });
const member = call('team_add', { name: 'ui', role: 'page', task: 'Write the page.', goal: 'A page.' });

const open = (rig: Rig, session: SessionId): State => {
  const state = rig.engine.state(session);
  assert.ok(state);
  return state;
};
const outcomeOf = (rig: Rig, session: SessionId) => {
  const deliverable = deliverableNamed(open(rig, session), 'ui');
  assert.ok(deliverable);
  return deliverable;
};
/** What the rows say of the member: its line of the tree, its group of changes, its reports. */
function rows(state: State) {
  const projection = new Projection();
  projection.open(state);
  const all = [...projection.firstPage('room').rows, ...projection.firstPage('changes').rows];
  const reports = all.filter((row): row is MessageRow => row.type === 'message' && row.kind === 'report');
  const tree = projection.row('tree', agentNamed(state, 'ui')?.id ?? '');
  const group = all.find((row) => row.type === 'group');
  return {
    tree: tree?.type === 'agent' ? (tree.review?.state ?? null) : undefined,
    group: group?.type === 'group' ? (group.review?.state ?? null) : undefined,
    reports: reports.map(({ review, files }) => [review?.state ?? null, files.map((file) => file.path)]),
  };
}

describe('review', function () {
  const { start } = scenes(this);

  it('a report with changed files is to review; Accept clears that, keeps the undo and tells no agent', async () => {
    const rig = await start();
    rig.server.script({
      lead: [member, say('I wait.'), say('The page is there.'), say('Next is done.')],
      ui: [calls(write('a.html', 'one\n'), write('b.html', 'two\n')), say('Both are written.')],
    });
    const session = await rig.delegate('A page, please.');
    await rig.turns(session, 'lead', 2);
    await rig.quiet(session);
    assert.deepEqual(rows(open(rig, session)), {
      tree: 'to_review',
      group: 'to_review',
      reports: [['to_review', ['a.html', 'b.html']]],
    });
    const { outcome, changes } = outcomeOf(rig, session);
    assert.equal(changes.length, 2);

    const asked = () => rig.server.requestsOf('lead').length + rig.server.requestsOf('ui').length;
    const before = asked();
    const seen: string[] = [];
    rig.engine.onDidChange(({ events }) => seen.push(...events.map((event) => event.type)));
    assert.deepEqual(await rig.engine.accept(session, outcome.id), { ok: true, value: null });
    await rig.quiet(session);
    assert.deepEqual(seen, ['outcome.accepted']);
    assert.equal(asked(), before);
    assert.deepEqual(toReview(open(rig, session)), []);
    assert.deepEqual(rows(open(rig, session)), {
      tree: null,
      group: null,
      reports: [['accepted', ['a.html', 'b.html']]],
    });

    // The lead's next request has what the person says and nothing of the Accept.
    await rig.engine.send(session, null, 'What is next?');
    await rig.turns(session, 'lead', 3);
    const last = rig.server.requestsOf('lead').at(-1)?.messages ?? [];
    assert.equal(last.at(-1)?.content, 'What is next?');
    assert.doesNotMatch(JSON.stringify(last), /accept/i);

    assert.deepEqual(await rig.engine.accept(session, outcome.id), {
      ok: false,
      error: { code: 'refused', refusal: { code: 'wrong_state', what: 'report', is: 'accepted' } },
    });
    const undone = await rig.engine.undo(session, { type: 'member', agent: 'ui' });
    assert.deepEqual(undone, { ok: true, value: { id: 'u0', undone: ['a.html', 'b.html'], refused: [] } });
  });

  it('Request Changes is a message from person that wakes the member; its next report is to review again', async () => {
    const rig = await start();
    rig.server.script({
      lead: [member, say('I wait.'), say('The page is there.'), say('It is there again.')],
      ui: [
        write('a.html', 'one\n'),
        say('It is written.'),
        calls(call('read', { path: 'a.html' }), write('a.html', 'ONE\n')),
        say('Now in capitals.'),
      ],
    });
    const session = await rig.delegate('A page, please.');
    await rig.turns(session, 'lead', 2);
    const { outcome } = outcomeOf(rig, session);
    const blank = await rig.engine.requestChanges(session, outcome.id, ' \n');
    assert.deepEqual(blank, { ok: false, error: { code: 'refused', refusal: { code: 'empty' } } });
    const done = await rig.engine.requestChanges(session, outcome.id, 'In capitals, please.');
    assert.deepEqual(done, { ok: true, value: null });
    assert.equal(outcomeOf(rig, session).state, 'changes_requested');
    assert.deepEqual(toReview(open(rig, session)), []);
    await rig.turns(session, 'lead', 3);
    await rig.quiet(session);

    const told = rig.server.requestsOf('ui')[2]?.messages.at(-1)?.content;
    assert.equal(told, '[Team message from person to ui:]\nIn capitals, please.');
    assert.ok((await rig.room(session)).includes('#2 person person -> ui: In capitals, please.'));
    const next = outcomeOf(rig, session);
    assert.notEqual(next.outcome.id, outcome.id);
    assert.equal(next.changes.length, 2);
    assert.deepEqual(rows(open(rig, session)), {
      tree: 'to_review',
      group: 'to_review',
      reports: [
        ['changes_requested', ['a.html']],
        ['to_review', ['a.html']],
      ],
    });
    // Accept is for all that came before, too.
    await rig.engine.accept(session, next.outcome.id);
    assert.deepEqual(
      [...open(rig, session).outcomes.pages.flat()].map((each) => each.accepted !== null),
      [true, true],
    );
  });

  it('nothing is to review where nothing of it is left, and who has left can be accepted but not asked', async () => {
    const rig = await start();
    rig.server.script({
      lead: [member, say('I wait.'), say('The page is there.')],
      ui: [write('a.html', 'one\n'), say('It is written.')],
    });
    const session = await rig.delegate('A page, please.');
    await rig.turns(session, 'lead', 2);
    await rig.engine.stop(session, 'ui');
    const { outcome } = outcomeOf(rig, session);
    assert.deepEqual(await rig.engine.requestChanges(session, outcome.id, 'More.'), {
      ok: false,
      error: { code: 'refused', refusal: { code: 'gone', what: 'agent' } },
    });
    assert.equal(toReview(open(rig, session)).length, 1);
    await rig.engine.undo(session, { type: 'task' });
    assert.deepEqual(toReview(open(rig, session)), []);
    await rig.engine.undo(session, { type: 'undo', undo: 'u0' as never });
    assert.equal(toReview(open(rig, session)).length, 1);
    // It lies in the journal: a restart changes nothing of it.
    await rig.engine.accept(session, outcome.id);
    await rig.close();
    await rig.open();
    const reopened = await rig.engine.open(session);
    assert.ok(reopened.ok);
    assert.deepEqual(toReview(reopened.value), []);
  });
});
