import { type Table, values } from '../base/table';
import type { AgentId, BlobId } from '../shared/ids';
import type { Change, State } from '../shared/state';

/** What one agent has done to one file, all its changes together. */
export interface ChangedFile {
  readonly agent: AgentId;
  readonly path: string;
  readonly status: 'new' | 'changed' | 'deleted';
  /** Content before the first change that still stands; null: there was no file. */
  readonly before: BlobId | null;
  readonly after: BlobId | null;
  readonly afterHash: string | null;
  /** False: a change is known of which no content was kept, so there is nothing to compare or to go back to. */
  readonly comparable: boolean;
  readonly added: number;
  readonly removed: number;
  /** All of it was undone. */
  readonly undone: boolean;
  /** No other agent has changed the file since. */
  readonly last: boolean;
}

type Files = ReadonlyMap<AgentId, readonly ChangedFile[]>;

/** The table is persistent: the same object holds the same changes, and each new one is walked once. */
const known = new WeakMap<Table<Change>, Files>();

/** Files that an agent has changed, in the order of its first change to each. */
export function changedFiles(state: State, agent: AgentId): readonly ChangedFile[] {
  return filesOf(state).get(agent) ?? [];
}

/** An agent's changes of one file that still stand, in their order. */
export const changesOfFile = (state: State, agent: AgentId, path: string): readonly Change[] =>
  [...values(state.changes)].filter(
    (change) => change.agentId === agent && change.path === path && change.undone === null,
  );

/** Agents that have changed files, in the order of their first change. */
export const agentsWithChanges = (state: State): readonly AgentId[] => [...filesOf(state).keys()];

function filesOf(state: State): Files {
  const found = known.get(state.changes);
  if (found !== undefined) return found;
  const files = group(state.changes);
  known.set(state.changes, files);
  return files;
}

function group(changes: Table<Change>): Files {
  const byAgent = new Map<AgentId, Map<string, Change[]>>();
  const lastBy = new Map<string, AgentId>();
  for (const change of values(changes)) {
    const paths = byAgent.get(change.agentId) ?? new Map<string, Change[]>();
    const own = paths.get(change.path);
    if (own === undefined) paths.set(change.path, [change]);
    else own.push(change);
    byAgent.set(change.agentId, paths);
    lastBy.set(change.path, change.agentId);
  }
  const files = new Map<AgentId, readonly ChangedFile[]>();
  for (const [agent, paths] of byAgent) {
    const list = [...paths.values()].map((own) => together(own, lastBy.get(own[0]?.path ?? '') === agent));
    files.set(
      agent,
      list.filter((file) => file !== null),
    );
  }
  return files;
}

function together(own: readonly Change[], last: boolean): ChangedFile | null {
  const standing = own.filter((change) => change.undone === null);
  const shown = standing.length > 0 ? standing : own;
  const first = shown.at(0);
  const newest = shown.at(-1);
  if (first === undefined || newest === undefined) return null;
  return {
    agent: first.agentId,
    path: first.path,
    status: newest.kind === 'delete' ? 'deleted' : first.kind === 'create' ? 'new' : 'changed',
    before: first.before,
    after: newest.after,
    afterHash: newest.afterHash,
    comparable: shown.every(hasContents),
    added: shown.reduce((sum, change) => sum + change.added, 0),
    removed: shown.reduce((sum, change) => sum + change.removed, 0),
    undone: standing.length === 0,
    last,
  };
}

/** A hash without its content: the file was too large or binary when a command changed it. */
function hasContents(change: Change): boolean {
  return (
    (change.before !== null || change.beforeHash === null) &&
    (change.after !== null || change.afterHash === null)
  );
}
