import { values } from '../../base/table';
import type { AgentId, RunId } from '../ids';
import type { ReportReview, ReviewMark } from '../protocol';
import { deliverableOf, isReport } from '../review';
import type { Outcome, State } from '../state';

/** What of an agent's waits for the person's Accept, or was sent back. */
export function reviewMark(state: State, agent: AgentId): ReviewMark | null {
  const deliverable = deliverableOf(state, agent);
  return deliverable === null ? null : { outcome: deliverable.outcome.id, state: deliverable.state };
}

/** What became of the report that a turn ended with; null: nothing has to, as a later one holds what it changed. */
export function reportReview(state: State, run: RunId): ReportReview | null {
  const outcome = outcomeOfRun(state, run);
  if (outcome === undefined) return null;
  if (outcome.accepted !== null) return { outcome: outcome.id, state: 'accepted' };
  if (outcome.returned != null) return { outcome: outcome.id, state: 'changes_requested' };
  const mark = reviewMark(state, outcome.agentId);
  return mark?.outcome === outcome.id ? mark : null;
}

function outcomeOfRun(state: State, run: RunId): Outcome | undefined {
  for (const outcome of values(state.outcomes))
    if (outcome.runId === run && isReport(outcome)) return outcome;
  return undefined;
}
