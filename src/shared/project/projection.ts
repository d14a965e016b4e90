import { at, values } from '../../base/table';
import type { TeamEvent } from '../events';
import { type AgentId, type AskId, type ChangeId, indexOf, type MessageId, type RunId } from '../ids';
import { agentOf, runOf } from '../lookup';
import { type DiffOf, type Head, type ListName, PAGE_ROWS, type Page, type Row } from '../protocol';
import { type Span, spansOf } from '../spans';
import type { Message, State } from '../state';
import type { Text } from '../text';
import { undoneHunks } from '../undos';
import { allChanges, ChangeList, liveChanges } from './changeList';
import { headOf } from './head';
import { allEntries, Floor } from './roomEntries';
import { type RoomEntry, RoomList, readEntryKey } from './roomList';
import { roomRow } from './roomRows';
import { Toucher } from './touched';
import { TreeList, treeRow } from './treeList';
import { noSurroundings, type Surroundings } from './who';

/** What a batch of events did to the lists, before the rows are worked out. */
export type RawOp =
  | { readonly op: 'set'; readonly list: ListName; readonly key: string }
  | { readonly op: 'insert'; readonly list: ListName; readonly index: number; readonly key: string }
  | { readonly op: 'remove'; readonly list: ListName; readonly index: number; readonly key: string };

/** Where the two sides of a diff are read from. */
export type DiffSource =
  | {
      readonly type: 'texts';
      readonly path: string;
      readonly before: Text | null;
      readonly after: Text | null;
    }
  | {
      /** What one agent did, in pieces between which others changed the file. */
      readonly type: 'spans';
      readonly path: string;
      readonly spans: readonly Span[];
      /** Ids of hunks that were undone alone; `all`: the whole of it was. */
      readonly undone: ReadonlySet<string> | 'all';
    };

/**
 * The rows of one session, kept up by events. Opening walks the history once; after that a batch of events costs its
 * own size and that of what is open, at 10,000 messages as at 10. Rows are worked out when they are asked for.
 */
export class Projection {
  #state: State | null = null;
  #around: Surroundings = noSurroundings;
  #filter: AgentId | null = null;
  #floor = new Floor();
  readonly #room = new RoomList();
  readonly #tree = new TreeList();
  readonly #changes = new ChangeList();
  readonly #changesOfRun = new Map<RunId, ChangeId[]>();
  readonly #reportOfRun = new Map<RunId, MessageId>();
  /** What told of a turn that did not end by itself. */
  readonly #failureOfRun = new Map<RunId, MessageId>();

  get state(): State | null {
    return this.#state;
  }

  get filter(): AgentId | null {
    return this.#filter;
  }

  /** Another session, or none. */
  open(state: State | null): void {
    this.#state = state;
    this.#filter = null;
    this.#changesOfRun.clear();
    this.#reportOfRun.clear();
    this.#failureOfRun.clear();
    for (const change of state === null ? [] : values(state.changes)) this.#noteChange(change);
    for (const message of state === null ? [] : values(state.messages)) this.#noteReport(message);
    this.#fillRoom();
    if (state === null) return;
    this.#tree.fill(state);
    this.#changes.fill(state);
  }

  /** Only rows that concern this agent; null: all. */
  setFilter(agent: AgentId | null): void {
    this.#filter = agent;
    this.#fillRoom();
  }

  /** Models, banner, list of sessions. Answers what may look different: every line of the tree. */
  setSurroundings(around: Surroundings): readonly RawOp[] {
    this.#around = around;
    return this.#tree.slice(0, this.#tree.size).map((key) => ({ op: 'set', list: 'tree', key }));
  }

  /** @param state after the events, which come in their order */
  apply(state: State, events: readonly TeamEvent[]): readonly RawOp[] {
    this.#state = state;
    const ops: RawOp[] = [];
    const touched = new Toucher(state, this.#reportOfRun, this.#failureOfRun);
    for (const event of events) {
      if (event.type === 'message.posted') touched.report(this.#noteReport(event.message));
      if (event.type === 'change.made') this.#noteChange(event.change);
      touched.take(event);
    }
    this.#applyTree(state, touched, ops);
    this.#applyRoom(touched, ops);
    this.#applyChanges(state, touched, ops);
    return ops;
  }

  #applyTree(state: State, touched: Toucher, ops: RawOp[]): void {
    for (const id of touched.newAgents) {
      const agent = agentOf(state, id);
      if (agent !== undefined)
        ops.push({ op: 'insert', list: 'tree', index: this.#tree.add(agent), key: id });
    }
    for (const key of touched.agents) ops.push({ op: 'set', list: 'tree', key });
  }

  #applyRoom(touched: Toucher, ops: RawOp[]): void {
    for (const key of touched.gone) {
      const index = this.#room.remove(key);
      if (index >= 0) ops.push({ op: 'remove', list: 'room', index, key });
    }
    for (const raw of touched.entries) {
      const ownTable =
        raw.kind === 'said' || raw.kind === 'joined' || raw.kind === 'message' || raw.kind === 'ask';
      const known = this.#room.get(raw.key);
      if (known !== undefined && !ownTable && known.at !== raw.at) {
        // Interrupted once more in the same batch: its row stands where that was.
        ops.push({ op: 'remove', list: 'room', index: this.#room.remove(raw.key), key: raw.key });
      }
      const entry = ownTable && known === undefined ? this.#floor.lift(raw) : raw;
      if (!this.#shows(entry)) continue;
      const index = this.#room.insert(entry);
      if (index >= 0) ops.push({ op: 'insert', list: 'room', index, key: entry.key });
    }
    for (const key of touched.rows) if (this.#room.has(key)) ops.push({ op: 'set', list: 'room', key });
  }

  #applyChanges(state: State, touched: Toucher, ops: RawOp[]): void {
    for (const id of touched.newChanges) {
      const change = at(state.changes, indexOf(id));
      if (change === undefined) continue;
      for (const { key, index } of this.#changes.add(change))
        ops.push({ op: 'insert', list: 'changes', index, key });
    }
    const keys = new Set<string>();
    for (const { agentId, path } of touched.files) {
      for (const key of this.#changes.around(agentId)) keys.add(key);
      for (const editor of this.#changes.editors(path)) keys.add(`p:${editor}:${path}`);
    }
    for (const agent of touched.agents)
      for (const key of this.#changes.around(agent).slice(0, 1)) keys.add(key);
    for (const key of keys) ops.push({ op: 'set', list: 'changes', key });
  }

  total(list: ListName): number {
    if (this.#state === null) return 0;
    switch (list) {
      case 'room':
        return this.#room.size;
      case 'tree':
        return this.#tree.size;
      case 'changes':
        return this.#changes.size;
    }
  }

  /** At most `PAGE_ROWS` rows from an index on. */
  page(list: ListName, from: number): Page {
    const start = Math.max(0, Math.min(from, this.total(list)));
    return { list, from: start, total: this.total(list), rows: this.#rows(list, start, start + PAGE_ROWS) };
  }

  /** The page that is seen first: the newest of the timeline, the beginning of the others. */
  firstPage(list: ListName): Page {
    return this.page(list, list === 'room' ? this.total(list) - PAGE_ROWS : 0);
  }

  #rows(list: ListName, from: number, to: number): readonly Row[] {
    const state = this.#state;
    if (state === null) return [];
    if (list === 'changes') return this.#changes.rows(state, from, to);
    const keys =
      list === 'tree' ? this.#tree.slice(from, to) : this.#room.slice(from, to).map((entry) => entry.key);
    return keys.map((key) => this.row(list, key)).filter((row) => row !== null);
  }

  row(list: ListName, key: string): Row | null {
    const state = this.#state;
    if (state === null) return null;
    if (list === 'changes') return this.#changes.row(state, key);
    if (list === 'tree') {
      const id = key as AgentId;
      return treeRow(state, id, this.#tree.depth(id), this.#around);
    }
    const entry = readEntryKey(key);
    return entry === null
      ? null
      : roomRow(state, entry.kind, entry.index, (message, run) => this.#delivered(message, run));
  }

  /** A turn's last report is its deliverable; null: this one is another. */
  #delivered(message: MessageId, run: RunId): readonly ChangeId[] | null {
    return this.#reportOfRun.get(run) === message ? (this.#changesOfRun.get(run) ?? []) : null;
  }

  /** Where a row stands in its list; -1 if it is not there (or filtered out). */
  indexOf(list: ListName, key: string): number {
    if (list === 'room') return this.#room.indexOf(key);
    const rows = this.#rows(list, 0, this.total(list));
    return rows.findIndex((row) => row.key === key);
  }

  head(): Head {
    return headOf(this.#state, this.#around, this.#changes.fileCount);
  }

  /** The text whose beginning a row shows; null: the row has none. */
  textOf(key: string): Text | null {
    const entry = readEntryKey(key);
    const state = this.#state;
    if (entry === null || state === null) return null;
    if (entry.kind === 'message') return at(state.messages, entry.index)?.text ?? null;
    if (entry.kind === 'said') return at(state.steps, entry.index)?.text ?? null;
    if (entry.kind === 'joined') return at(state.agents, entry.index)?.brief ?? null;
    const about = entry.kind === 'ask' ? at(state.asks, entry.index)?.about : undefined;
    return about?.type === 'question' ? about.text : null;
  }

  /** null: there is nothing to compare. */
  diffSource(of: DiffOf): DiffSource | null {
    const state = this.#state;
    if (state === null) return null;
    if (of.type === 'ask') return this.#askDiff(state, of.ask);
    const ids = this.#changes.changesOf(of.agent, of.path);
    const live = liveChanges(state, ids);
    if (live.length > 0)
      return { type: 'spans', path: of.path, spans: spansOf(live), undone: undoneHunks(state, of.agent) };
    const all = allChanges(state, ids);
    return all.length === 0 ? null : { type: 'spans', path: of.path, spans: spansOf(all), undone: 'all' };
  }

  #askDiff(state: State, ask: AskId): DiffSource | null {
    const about = at(state.asks, indexOf(ask))?.about;
    if (about?.type !== 'permission' || about.preview.type !== 'diff') return null;
    const { path, before, after } = about.preview;
    return { type: 'texts', path, before, after };
  }

  /** Paths that an agent has changed, for its multi-file diff. */
  filesOf(agent: AgentId): readonly string[] {
    return this.#changes.filesOf(agent);
  }

  #fillRoom(): void {
    this.#floor = new Floor();
    const all = this.#state === null ? [] : allEntries(this.#state, this.#floor);
    this.#room.fill(this.#filter === null ? all : all.filter((entry) => this.#shows(entry)));
  }

  #shows(entry: RoomEntry): boolean {
    return this.#filter === null || entry.agents.includes(this.#filter);
  }

  #noteChange(change: { readonly id: ChangeId; readonly runId: RunId }): void {
    const ids = this.#changesOfRun.get(change.runId);
    if (ids === undefined) this.#changesOfRun.set(change.runId, [change.id]);
    else ids.push(change.id);
  }

  /** The report of the same turn that is not its last one any more. */
  #noteReport(message: Pick<Message, 'id' | 'kind' | 'runId' | 'ended'>): MessageId | undefined {
    if (message.runId !== null && message.ended !== null) this.#failureOfRun.set(message.runId, message.id);
    if (message.kind !== 'report' || message.runId === null) return undefined;
    const before = this.#reportOfRun.get(message.runId);
    this.#reportOfRun.set(message.runId, message.id);
    return before;
  }
}

/** Runs that have not ended, by agent; for hosts that list what can be stopped. */
export function openRunOf(state: State, agent: AgentId): RunId | null {
  return state.open.runs.find((id) => runOf(state, id)?.agentId === agent) ?? null;
}
