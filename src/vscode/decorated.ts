import { values } from '../base/table';
import type { AgentId } from '../shared/ids';
import { agentOf } from '../shared/lookup';
import { deliverableOf, isAccepted } from '../shared/review';
import type { Change, State } from '../shared/state';

/** How a file is marked that agents have changed. */
export interface Mark {
  /** Who changed it, in the order they did. */
  readonly names: readonly string[];
  /** A member has reported it, and the person has not said yet whether it is in order. */
  readonly toReview: boolean;
}

/**
 * Files that agents have changed, by where they lie: those that the person has not accepted, as far as their changes
 * still stand.
 */
export function marksOf(
  states: readonly State[],
  place: (path: string) => string | null,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const state of states) {
    const reported = reportedChanges(state);
    for (const change of values(state.changes)) {
      const real = change.undone !== null || isAccepted(state, change) ? null : place(change.path);
      if (real === null) continue;
      const known = marks.get(real) ?? { names: [], toReview: false };
      const name = agentOf(state, change.agentId)?.name ?? change.agentId;
      marks.set(real, {
        names: known.names.includes(name) ? known.names : [...known.names, name],
        toReview: known.toReview || reported.has(change),
      });
    }
  }
  return marks;
}

function reportedChanges(state: State): ReadonlySet<Change> {
  const reported = new Set<Change>();
  const agents = new Set<AgentId>();
  for (const { agentId } of values(state.changes)) agents.add(agentId);
  for (const agent of agents) {
    const deliverable = deliverableOf(state, agent);
    if (deliverable?.state === 'to_review') for (const change of deliverable.changes) reported.add(change);
  }
  return reported;
}

/** Files whose marks are others than before, or that have one or none now. */
export function changedMarks(
  before: ReadonlyMap<string, Mark>,
  after: ReadonlyMap<string, Mark>,
): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => {
    const [old, now] = [before.get(path), after.get(path)];
    return old?.toReview !== now?.toReview || old?.names.join() !== now?.names.join();
  });
}
