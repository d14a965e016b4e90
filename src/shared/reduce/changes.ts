import type { UndoUnit } from '../undoRecord';
import { add, change, type Handlers } from './handler';

export const changeHandlers: Handlers<
  'change.made' | 'change.undone' | 'change.redone' | 'undo.begun' | 'undo.unit_ended'
> = {
  'change.made': (state, event) => add(state, 'changes', { ...event.change, at: event.at, undone: null }),
  'change.undone': (state, event) =>
    change(state, 'changes', event.changeId, (made) =>
      made.undone === null ? { ...made, undone: { at: event.at, by: event.by } } : null,
    ),
  'change.redone': (state, event) =>
    change(state, 'changes', event.changeId, (made) =>
      made.undone === null ? null : { ...made, undone: null },
    ),
  'undo.begun': (state, event) =>
    add(state, 'undos', {
      ...event.undo,
      at: event.at,
      units: event.undo.units.map((unit) => ({ ...unit, phase: 'open' as const })),
    }),
  'undo.unit_ended': (state, event) =>
    change(state, 'undos', event.undoId, (undo) => {
      const unit = undo.units[event.unit];
      if (unit?.phase !== 'open') return null;
      return { ...undo, units: undo.units.with(event.unit, ended(unit, event.outcome)) };
    }),
};

const ended = (unit: UndoUnit, phase: 'done' | 'not_done' | 'unknown'): UndoUnit => ({ ...unit, phase });
