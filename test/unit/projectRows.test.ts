import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  type AgentId,
  localId,
  type MessageId,
  type OutcomeId,
  type RunId,
  type UndoId,
} from '../../src/shared/ids';
import { changeOf } from '../../src/shared/lookup';
import { Projection, type RawOp } from '../../src/shared/project/projection';
import { activitySentence } from '../../src/shared/project/sentence';
import type { ListName, Row } from '../../src/shared/protocol';
import { inline } from '../../src/shared/text';
import { csvStory, oneModel, Story } from '../support/webview/story';

const opened = (story: Story): Projection => {
  const projection = new Projection();
  projection.setSurroundings(oneModel);
  projection.open(story.state);
  story.commit();
  return projection;
};

const all = (projection: Projection, list: ListName): readonly Row[] => {
  const rows: Row[] = [];
  for (let from = 0; from < projection.total(list); from += 200)
    rows.push(...projection.page(list, from).rows);
  return rows;
};

const time = (at: number) => new Date(at).toISOString().slice(11, 16);

const lines = (projection: Projection): readonly string[] =>
  all(projection, 'tree').map((row) =>
    row.type === 'agent'
      ? `${'  '.repeat(row.depth)}${row.agent.name} ${activitySentence(row.activity, time)}`
      : '?',
  );

describe('rows of a session', () => {
  it('the timeline says who, to whom, what, and what became of it', () => {
    const rows = all(opened(csvStory()), 'room');
    const told = rows.map((row) => {
      if (row.type === 'message') {
        const from = typeof row.from === 'string' ? row.from : row.from.name;
        const to = row.all ? 'all' : row.to.map((who) => who.name).join();
        const receipts = row.receipts.map((each) => `${each.to.name}:${each.state}`).join();
        const files = row.files.map((file) => `${file.path}+${file.added}`).join();
        return `${row.n ?? '-'} ${from}>${to} [${receipts}] ${files}`;
      }
      if (row.type === 'ask') return `ask ${row.agent.name} ${row.phase.status}`;
      if (row.type === 'joined') return `joined ${row.agent.name}`;
      return row.type === 'left'
        ? `left ${row.agents.map((who) => who.name).join()} told:${!row.leadWaits}`
        : row.type;
    });
    assert.deepEqual(told, [
      'joined parser',
      'joined ui',
      '- person>lead [lead:answered] ',
      '1 lead>all [parser:answered,ui:answered] ',
      '2 ui>parser [parser:answered] ',
      'joined docs',
      '3 parser>lead [lead:sent] src/csv/write.ts+84,src/csv/write.test.ts+61',
      'joined icons',
      'ask parser open',
      'left docs told:false',
    ]);
  });

  it('what the lead says beside its calls has a row of its own, and nothing else that is said in a step', () => {
    const story = new Story();
    const lead = story.begin();
    const run = story.start(lead);
    const other = story.start(story.add('parser', lead, 'works'));
    const projection = opened(story);
    story.step(run, 'read', { path: 'a' }, 10, 'I look at **a** first.');
    story.step(run, 'read', { path: 'b' }, 10, ' \n');
    story.step(run, null, {}, 10, 'The answer is a message.');
    story.step(other, 'read', { path: 'a' }, 10, 'A member’s words stay with it.');
    projection.apply(story.state, story.commit());
    const said = all(projection, 'room').flatMap((row) => (row.type === 'said' ? [row] : []));
    assert.deepEqual(
      said.map((row) => [row.agent.name, row.body.text, projection.textOf(row.key)?.type]),
      [['lead', 'I look at **a** first.', 'inline']],
    );
  });

  it('each line of the tree is a sentence about what the agent does now', () => {
    assert.deepEqual(lines(opened(csvStory())), [
      'lead waits for ui, parser',
      '  parser asks: npm test -- --grep csv',
      '  ui edits report.tsx · step 7',
      '    icons waits for a free slot of small (ui, parser at work)',
      '  docs stopped by you 10:07',
    ]);
  });

  it('sentences of runs that ended, wait or were interrupted', () => {
    const story = new Story();
    const lead = story.begin();
    const names = ['new', 'limit', 'broken', 'cut', 'done', 'thinks'];
    const [, limit, broken, cut, done, thinks] = names.map((name) => story.add(name, lead, name));
    assert.ok(limit && broken && cut && done && thinks);
    story.end(story.start(limit), 'steps');
    story.end(story.start(broken), 'error', 'the server said 500');
    story.push({ type: 'run.interrupted', runId: story.start(cut) });
    story.end(story.start(done));
    story.start(thinks);
    story.queue(done, story.state.open.runs[0]);
    assert.deepEqual(lines(opened(story)), [
      'lead has not started',
      '  new has not started',
      '  limit stopped at the limit of steps 10:00',
      '  broken failed 10:00: the server said 500',
      '  cut interrupted by a restart',
      '  done starts after cut’s turn',
      '  thinks thinks · step 1',
    ]);
  });

  it('several changes of a path are one file; an undone one is none', () => {
    const story = csvStory();
    const projection = opened(story);
    const file = () =>
      all(projection, 'changes').map((row) =>
        row.type === 'file'
          ? `${row.agent.name} ${row.path} ${row.status} +${row.added} −${row.removed} ${row.edits} ${row.undone === null ? '' : 'undone'}${row.alsoBy.map((who) => who.name).join()}`
          : row.type === 'group'
            ? `${row.agent.name}: ${row.files} +${row.added} −${row.removed} undo ${row.undoable}`
            : '',
      );
    const run = story.start('a0' as AgentId);
    const again = story.step(run, 'edit', { path: 'src/report.tsx' });
    const first = story.change(again, run, 'a0' as AgentId, 'src/report.tsx', 5, 2);
    story.change(again, run, 'a0' as AgentId, 'src/report.tsx', 1, 1);
    projection.apply(story.state, story.commit());
    assert.deepEqual(file(), [
      'parser: 2 +145 −0 undo 2',
      'parser src/csv/write.ts new +84 −0 1 ',
      'parser src/csv/write.test.ts new +61 −0 1 ',
      'ui: 2 +4 −1 undo 2',
      'ui src/report.tsx changed +3 −1 1 lead',
      'ui package.json changed +1 −0 1 ',
      'lead: 1 +6 −3 undo 1',
      'lead src/report.tsx changed +6 −3 2 ui',
    ]);
    story.push({ type: 'change.undone', changeId: first, by: { type: 'person' } });
    projection.apply(story.state, story.commit());
    assert.equal(file().at(-1), 'lead src/report.tsx changed +1 −1 1 ui');
  });

  it('the head counts what works and what waits, and shows limits before they bite', () => {
    const head = opened(csvStory()).head();
    assert.deepEqual(head.counts, { working: 1, waiting: 1 });
    assert.deepEqual(head.tabs, { room: 1, changes: 4 });
    assert.deepEqual(head.waiting, ['q0']);
    assert.deepEqual(
      head.limits.map((bar) => `${bar.what} ${bar.used}/${bar.max} ${bar.near}`),
      ['money 384000/5000000 false', 'tokens 52800/2000000 false', 'agents 4/4 true'],
    );
    assert.deepEqual(
      head.agents.map((agent) => `${agent.name}${agent.dot}${agent.left ? ' left' : ''}`),
      ['lead0', 'parser1', 'ui2', 'docs3 left', 'icons4'],
    );
  });
});

/** The rows that a view holds which applied the operations, with what is asked for afterwards. */
class Mirror {
  readonly keys: Record<ListName, string[]> = { room: [], tree: [], changes: [] };

  constructor(projection: Projection) {
    for (const list of ['room', 'tree', 'changes'] as const)
      this.keys[list] = all(projection, list).map((row) => row.key);
  }

  apply(ops: readonly RawOp[]): void {
    for (const op of ops) {
      if (op.op === 'insert') this.keys[op.list].splice(op.index, 0, op.key);
      if (op.op === 'remove') {
        assert.equal(this.keys[op.list][op.index], op.key);
        this.keys[op.list].splice(op.index, 1);
      }
    }
  }
}

/** One random act in a session; those that make no sense there are left out. */
function act(story: Story, what: number, who: number, other: number): void {
  const agents = story.state.agents.pages.flat().filter((agent) => agent.left === null);
  const agent = agents[who % agents.length];
  const peer = agents[other % agents.length];
  if (agent === undefined || peer === undefined) return;
  const runs = story.state.runs.pages.flat().filter((run) => run.agentId === agent.id);
  const running = runs.find((run) => run.phase.status === 'running');
  const halted = runs.find((run) => run.phase.status === 'interrupted');
  const queued = runs.find((run) => run.phase.status === 'queued');
  const active = runs.find((run) => run.phase.status !== 'queued' && run.phase.status !== 'ended');
  const busy = runs.some((run) => run.phase.status !== 'ended');
  const reason = (['final', 'error', 'stopped', 'steps'] as const)[other % 4] ?? 'final';
  const acts: readonly (() => unknown)[] = [
    () => story.add(`x${story.state.agents.size}`, agent.id, 'helps'),
    () => busy || story.start(agent.id),
    () => busy || story.queue(agent.id),
    () => queued && active === undefined && story.push({ type: 'run.started', runId: queued.id }),
    () => story.say(agent.id, other % 2 === 0 ? 'all' : [peer.id], 'hello'),
    () => running && story.end(running.id, reason),
    () => running && story.push({ type: 'run.interrupted', runId: running.id }),
    () => halted && story.push({ type: 'run.continued', runId: halted.id, resumed: true }),
    () => agent.kind === 'lead' || story.stop(subtree(story, agent.id)),
    () => running && writes(story, running.id, agent.id, other),
    () => undoes(story),
    () => redoes(story, other),
    () => runs[0] && handsIn(story, agent.id, (running ?? runs.at(-1) ?? runs[0]).id),
    () => judges(story, other),
    () => running && asks(story, running.id),
    () => running && fails(story, running.id, agent.id, other),
    () =>
      running && story.step(running.id, other % 3 === 0 ? null : 'read', {}, 10, other % 2 ? 'I look.' : ''),
    () => running && compacts(story, running.id, other),
    () => story.push({ type: 'session.paused', paused: other % 2 === 0 }),
    () => limits(story, other),
    () => runs[0] && mail(story, runs[0].id),
    // Clocks go back, too.
    () => story.later(((other % 7) - 1) / 100),
  ];
  acts[what % acts.length]?.();
}

/** A turn that can go on says so where its end is told. */
function fails(story: Story, run: RunId, agent: AgentId, other: number): void {
  const reason = (['error', 'steps', 'budget'] as const)[other % 3] ?? 'error';
  story.end(run, reason);
  const kind = agent === 'a0' ? 'answer' : 'report';
  story.say(agent, agent === 'a0' ? [] : ['a0' as AgentId], 'so far', kind, run, { reason, detail: null });
}

function compacts(story: Story, runId: RunId, other: number): void {
  const fault = other % 3 === 0 ? 'no' : null;
  story.push({
    type: 'context.compacted',
    runId,
    text: inline('x'),
    from: null,
    cut: [],
    fault,
    usage: null,
  });
}

function limits(story: Story, other: number): void {
  const settings = story.state.session?.settings;
  if (settings === undefined) return;
  const changed = { ...settings, limits: { ...settings.limits, steps: 1 + (other % 5) } };
  story.push({ type: 'settings.changed', settings: changed, by: { type: 'person' } });
}

/** A stop takes everything under the agent with it. */
function subtree(story: Story, top: AgentId): readonly AgentId[] {
  const ids = [top];
  for (const agent of story.state.agents.pages.flat())
    if (agent.managerId !== null && agent.left === null && ids.includes(agent.managerId)) ids.push(agent.id);
  return ids;
}

function writes(story: Story, run: RunId, agent: AgentId, other: number): void {
  const call = story.step(run, 'write', { path: 'a' });
  story.change(call, run, agent, `f${other % 4}`, 1, other % 3);
  story.finish(call);
  if (other % 2 === 0) story.say(agent, ['a0' as AgentId], 'done', 'report', run);
}

function undoes(story: Story): void {
  const change = story.state.changes.pages.flat().find((each) => each.undone === null);
  if (change !== undefined)
    story.push({ type: 'change.undone', changeId: change.id, by: { type: 'person' } });
}

/** An undo of a file as the runtime records it, or the undo of the last one. */
function redoes(story: Story, other: number): void {
  const change = story.state.changes.pages.flat().find((each) => each.undone === null);
  const last = story.state.undos.pages.flat().at(-1);
  const id = localId<UndoId>('u', story.state.undos.size);
  const done = other % 2 === 0 ? last?.units[0] : undefined;
  const isBack = last !== undefined && done?.to === 'undone';
  const unit = isBack
    ? { ...done, to: 'standing' as const, takesBack: { undo: last.id, unit: 0 } }
    : change && {
        path: change.path,
        agents: [change.agentId],
        changes: [change.id],
        marks: other % 3 === 0 ? [] : [change.id],
        to: 'undone' as const,
        hunk: other % 3 === 0 ? `hunk ${other % 4}` : null,
        takesBack: null,
        writes: [],
      };
  if (unit === undefined) return;
  const by = { type: 'person' } as const;
  story.push({ type: 'undo.begun', undo: { id, by, of: isBack ? 'undo' : 'file', units: [unit] } });
  const outcome = other % 5 === 0 ? 'not_done' : 'done';
  story.push({ type: 'undo.unit_ended', undoId: id, unit: 0, outcome });
  if (outcome === 'not_done') return;
  for (const changeId of unit.marks) {
    const isUndone = changeOf(story.state, changeId)?.undone != null;
    if (isBack && isUndone) story.push({ type: 'change.redone', changeId });
    if (!isBack && !isUndone) story.push({ type: 'change.undone', changeId, by });
  }
}

function handsIn(story: Story, agentId: AgentId, runId: RunId): void {
  const id = localId<OutcomeId>('o', story.state.outcomes.size);
  const rest = { taskId: null, messageId: null, kind: 'result', paths: [], cause: 'final' } as const;
  story.push({ type: 'outcome.recorded', outcome: { id, agentId, runId, summary: inline('done'), ...rest } });
}

function judges(story: Story, other: number): void {
  const open = story.state.outcomes.pages.flat().filter((each) => each.accepted === null);
  const outcome = open[other % Math.max(1, open.length)];
  if (outcome === undefined) return;
  if (other % 2 === 0) story.push({ type: 'outcome.accepted', outcomeId: outcome.id });
  else if (outcome.returned == null && story.state.messages.size > 0)
    story.push({ type: 'outcome.returned', outcomeId: outcome.id, messageId: localId<MessageId>('m', 0) });
}

function asks(story: Story, run: RunId): void {
  const call = story.step(run, 'ask_user', { question: 'why?' });
  story.ask(run, call, { type: 'question', text: { type: 'inline', text: 'why?' }, choices: ['yes'] });
}

function mail(story: Story, runId: RunId): void {
  const deliveryId = story.state.open.deliveries[0];
  if (deliveryId === undefined) return;
  const delivery = story.state.deliveries.pages.flat().find((each) => each.id === deliveryId);
  const type = delivery?.phase.status === 'pending' ? 'delivery.delivered' : 'delivery.processed';
  story.push({ type, deliveryId, runId });
}

describe('rows kept up by events', function () {
  this.timeout(30_000);

  it('are those of a session that is opened anew, whatever happens, in order and content', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 10, maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        (acts, batch) => {
          const story = new Story();
          story.begin();
          const projection = opened(story);
          const mirror = new Mirror(projection);
          story.commit();
          acts.forEach(([what, who, other], i) => {
            act(story, what, who, other);
            if (i % batch !== 0) return;
            mirror.apply(projection.apply(story.state, story.commit()));
          });
          mirror.apply(projection.apply(story.state, story.commit()));
          const anew = opened(story);
          for (const list of ['room', 'tree', 'changes'] as const) {
            assert.deepEqual(all(projection, list), all(anew, list));
            assert.deepEqual(
              mirror.keys[list],
              all(anew, list).map((row) => row.key),
            );
          }
          assert.deepEqual(projection.head(), anew.head());
        },
      ),
      { numRuns: 300 },
    );
  });

  it('name every row that looks different afterwards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 10, maxLength: 40, size: 'max' }),
        (acts) => {
          const story = new Story();
          story.begin();
          const projection = opened(story);
          story.commit();
          for (const [what, who, other] of acts) {
            const before = snapshot(projection);
            act(story, what, who, other);
            const named = new Set(
              projection.apply(story.state, story.commit()).map((op) => `${op.list}/${op.key}`),
            );
            for (const [name, row] of snapshot(projection))
              if (before.get(name) !== row) assert.ok(named.has(name), `${name} changed unnoticed: ${row}`);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('with a filter only those of one agent', () => {
    const story = csvStory();
    const projection = opened(story);
    projection.setFilter('a2' as AgentId);
    assert.deepEqual(
      all(projection, 'room').map((row) => row.key),
      ['j2', 'm1', 'm2', 'j4'],
    );
    story.commit();
    story.say('a2' as AgentId, ['a0' as AgentId], 'mine');
    story.say('a1' as AgentId, ['a0' as AgentId], 'not mine');
    const ops = projection.apply(story.state, story.commit());
    assert.deepEqual(
      ops.filter((op) => op.list === 'room'),
      [
        { op: 'insert', list: 'room', index: 4, key: 'm4' },
        { op: 'set', list: 'room', key: 'm4' },
      ],
    );
  });

  it('cost the change, not the history: an event at 20,000 messages as at 200', () => {
    const cost = (messages: number): number => {
      const story = new Story();
      const lead = story.begin();
      const one = story.add('one', lead, 'talks');
      // To nobody: what is unread is open, and what is open may cost.
      for (let i = 0; i < messages; i++) story.say(one, [], 'hello');
      const projection = opened(story);
      story.commit();
      const rounds = 400;
      const start = process.hrtime.bigint();
      for (let i = 0; i < rounds; i++) {
        story.say(one, [], 'more');
        projection.apply(story.state, story.commit());
        projection.head();
      }
      return Number(process.hrtime.bigint() - start) / 1e6 / rounds;
    };
    cost(200);
    const few = cost(200);
    const many = cost(20_000);
    assert.ok(many < few * 10 + 0.5, `few ${few.toFixed(3)} ms, many ${many.toFixed(3)} ms`);
  });
});

function snapshot(projection: Projection): Map<string, string> {
  const rows = new Map<string, string>();
  for (const list of ['room', 'tree', 'changes'] as const)
    for (const row of all(projection, list)) rows.set(`${list}/${row.key}`, JSON.stringify(row));
  return rows;
}
