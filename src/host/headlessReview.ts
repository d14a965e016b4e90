import { fail, ok, type Result } from '../base/result';
import type { Engine, EngineProblem, UndoReport, UndoWhat } from '../runtime/engine';
import type { OutcomeId, SessionId } from '../shared/ids';
import { deliverableNamed } from '../shared/review';
import { problemText } from './problemText';

/** The newest report of a member with changed files that was not accepted yet. */
export function reportOf(engine: Engine, session: SessionId, name: string): Result<OutcomeId, EngineProblem> {
  const state = engine.state(session);
  const found = state === null ? null : deliverableNamed(state, name);
  return found === null
    ? fail({ code: 'refused', refusal: { code: 'gone', what: 'report' } })
    : ok(found.outcome.id);
}

export interface UndoLines {
  readonly out: readonly string[];
  /** What was left as it is, each with why. */
  readonly err: readonly string[];
}

export async function undoLines(engine: Engine, session: SessionId, what: UndoWhat): Promise<UndoLines> {
  const done = await engine.undo(session, what);
  if (done.ok) return linesOf(done.value);
  return done.error.code === 'conflict'
    ? linesOf(done.error.report)
    : { out: [], err: [problemText(done.error)] };
}

const linesOf = ({ id, undone, refused }: UndoReport): UndoLines => ({
  out: [id === null ? 'nothing was undone' : `${id} undone: ${undone.join(', ')}`],
  err: refused.map(
    ({ path, why: { code, ...details } }) => `left: ${path}: ${code} ${JSON.stringify(details)}`,
  ),
});
