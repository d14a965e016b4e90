import { type Table, values } from '../base/table';
import type { AgentId, UndoId } from './ids';
import type { State } from './state';
import type { Undo, UndoUnit } from './undoRecord';

/** What the undos of a session come to. */
interface Index {
  /** Units that have been undone themselves, or are being undone now. */
  readonly taken: ReadonlySet<string>;
  /** By agent: hunks that are out of the files now. */
  readonly hunks: ReadonlyMap<AgentId, ReadonlySet<string>>;
  /** By agent and path: the newest undo that can itself be undone. */
  readonly last: ReadonlyMap<string, UndoId>;
}

/** The table is persistent: the same object holds the same undos, and each is walked once. */
const known = new WeakMap<Table<Undo>, Index>();

const unitKey = (undo: UndoId, unit: number): string => `${undo}/${unit}`;
const fileKey = (agent: AgentId, path: string): string => `${agent}/${path}`;

function indexOf({ undos }: State): Index {
  const found = known.get(undos);
  if (found !== undefined) return found;
  const taken = new Set<string>();
  for (const { units } of values(undos)) {
    for (const { takesBack, phase } of units)
      if (takesBack !== null && (phase === 'done' || phase === 'open'))
        taken.add(unitKey(takesBack.undo, takesBack.unit));
  }
  const hunks = new Map<AgentId, Set<string>>();
  const last = new Map<string, UndoId>();
  for (const undo of values(undos)) {
    for (const [index, unit] of undo.units.entries()) {
      if (unit.phase !== 'done') continue;
      noteHunk(hunks, unit);
      if (unit.to === 'undone' && !taken.has(unitKey(undo.id, index)))
        for (const agent of unit.agents)
          for (const path of pathsOf(unit)) last.set(fileKey(agent, path), undo.id);
    }
  }
  const index: Index = { taken, hunks, last };
  known.set(undos, index);
  return index;
}

function noteHunk(hunks: Map<AgentId, Set<string>>, { hunk, agents, to }: UndoUnit): void {
  if (hunk === null) return;
  for (const agent of agents) {
    const out = hunks.get(agent) ?? new Set();
    if (to === 'undone') out.add(hunk);
    else out.delete(hunk);
    hunks.set(agent, out);
  }
}

const pathsOf = ({ path, writes }: UndoUnit): ReadonlySet<string> =>
  new Set([path, ...writes.map((write) => write.path)]);

/** Whether an undo of a file has itself been undone, or is being undone now. */
export const takenBack = (state: State, undo: UndoId, unit: number): boolean =>
  indexOf(state).taken.has(unitKey(undo, unit));

/** The units of an undo that can be taken back: they were written, and nobody has taken them back yet. */
export function standingUnits(state: State, undo: Undo): readonly { unit: UndoUnit; index: number }[] {
  return undo.units.flatMap((unit, index) =>
    unit.phase === 'done' && !takenBack(state, undo.id, index) ? [{ unit, index }] : [],
  );
}

const none: ReadonlySet<string> = new Set();

/** Hunks of an agent's that are out of the files now. */
export const undoneHunks = (state: State, agent: AgentId): ReadonlySet<string> =>
  indexOf(state).hunks.get(agent) ?? none;

/** The newest undo of an agent's file that can itself be undone. */
export const lastUndoOf = (state: State, agent: AgentId, path: string): UndoId | null =>
  indexOf(state).last.get(fileKey(agent, path)) ?? null;

/** The newest undo of the task that can itself be undone. */
export function lastUndo(state: State): Undo | null {
  for (const undo of [...values(state.undos)].reverse()) {
    if (standingUnits(state, undo).some(({ unit }) => unit.to === 'undone')) return undo;
  }
  return null;
}
