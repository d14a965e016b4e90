import { fail, ok } from '../base/result';
import { localId, type UndoId } from '../shared/ids';
import { changeOf, undoOf } from '../shared/lookup';
import type { State } from '../shared/state';
import type { UndoUnit } from '../shared/undoRecord';
import { takenBack } from '../shared/undos';
import type { Decide, PersonCommand, Refusal } from './commands';
import { Draft } from './draft';

type Of<T extends PersonCommand['type']> = Decide<Extract<PersonCommand, { type: T }>>;

/** What is taken back must be in place, and must not be about to be taken back already. */
function unitProblem(state: State, unit: Omit<UndoUnit, 'phase'>): Refusal | null {
  for (const id of unit.marks) {
    const change = changeOf(state, id);
    if (change === undefined) return { code: 'gone', what: 'change' };
    if (unit.to === 'undone' && change.undone !== null)
      return { code: 'wrong_state', what: 'change', is: 'undone' };
  }
  if (unit.takesBack === null) return null;
  const { undo, unit: index } = unit.takesBack;
  if (undoOf(state, undo)?.units[index]?.phase !== 'done') return { code: 'gone', what: 'undo' };
  return takenBack(state, undo, index) ? { code: 'wrong_state', what: 'undo', is: 'undone' } : null;
}

export const decideBeginUndo: Of<'begin_undo'> = (state, { by, of, units }, facts) => {
  for (const unit of units) {
    const problem = unitProblem(state, unit);
    if (problem !== null) return fail(problem);
  }
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'undo.begun', undo: { id: localId<UndoId>('u', state.undos.size), by, of, units } });
  return ok(draft.events);
};

export const decideEndUndo: Of<'end_undo'> = (state, { undo: id, unit: index, outcome }, facts) => {
  const undo = undoOf(state, id);
  const unit = undo?.units[index];
  if (undo === undefined || unit === undefined) return fail({ code: 'gone', what: 'undo' });
  if (unit.phase !== 'open') return fail({ code: 'wrong_state', what: 'undo', is: unit.phase });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'undo.unit_ended', undoId: id, unit: index, outcome });
  if (outcome === 'done') {
    for (const changeId of unit.marks) {
      const isUndone = changeOf(state, changeId)?.undone != null;
      if (unit.to === 'undone' && !isUndone) draft.push({ type: 'change.undone', changeId, by: undo.by });
      if (unit.to === 'standing' && isUndone) draft.push({ type: 'change.redone', changeId });
    }
  }
  return ok(draft.events);
};
