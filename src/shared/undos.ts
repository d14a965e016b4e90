import { values } from '../base/table';
import type { AgentId, UndoId } from './ids';
import type { State } from './state';
import type { Undo, UndoUnit } from './undoRecord';

/** Whether an undo of a file has itself been undone, or is being undone now. */
export function takenBack(state: State, undo: UndoId, unit: number): boolean {
  for (const other of values(state.undos)) {
    for (const { takesBack, phase } of other.units) {
      if (takesBack?.undo === undo && takesBack.unit === unit && (phase === 'done' || phase === 'open'))
        return true;
    }
  }
  return false;
}

/** The units of an undo that can be taken back: they were written, and nobody has taken them back yet. */
export function standingUnits(state: State, undo: Undo): readonly { unit: UndoUnit; index: number }[] {
  return undo.units.flatMap((unit, index) =>
    unit.phase === 'done' && !takenBack(state, undo.id, index) ? [{ unit, index }] : [],
  );
}

/** Hunks of an agent's that are out of the files now. */
export function undoneHunks(state: State, agent: AgentId): ReadonlySet<string> {
  const hunks = new Set<string>();
  for (const { units } of values(state.undos)) {
    for (const { hunk, phase, to, agents } of units) {
      if (hunk === null || phase !== 'done' || !agents.includes(agent)) continue;
      if (to === 'undone') hunks.add(hunk);
      else hunks.delete(hunk);
    }
  }
  return hunks;
}

/** The newest undo of an agent's file that can itself be undone. */
export function lastUndoOf(state: State, agent: AgentId, path: string): UndoId | null {
  for (const undo of [...values(state.undos)].reverse()) {
    for (const { unit } of standingUnits(state, undo)) {
      const names = unit.path === path || unit.writes.some((write) => write.path === path);
      if (names && unit.to === 'undone' && unit.agents.includes(agent)) return undo.id;
    }
  }
  return null;
}

/** The newest undo of the task that can itself be undone. */
export function lastUndo(state: State): Undo | null {
  for (const undo of [...values(state.undos)].reverse()) {
    if (standingUnits(state, undo).some(({ unit }) => unit.to === 'undone')) return undo;
  }
  return null;
}
