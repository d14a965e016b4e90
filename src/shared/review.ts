import { type Table, values } from '../base/table';
import { type AgentId, indexOf, type OutcomeId, type RunId } from './ids';
import { agentNamed, agentOf } from './lookup';
import type { Change, Outcome, State } from './state';

/** What a member has handed in: its newest report together with all it has changed since the person last accepted. */
export interface Deliverable {
  readonly outcome: Outcome;
  readonly state: ReviewState;
  /** Changes that stand, in their order. */
  readonly changes: readonly Change[];
}

export type ReviewState = 'to_review' | 'changes_requested';

/**
 * What of a member waits for the person's Accept; null: nothing does, because it has reported nothing, was accepted, or
 * nothing of what it changed is left. Those who left stay reviewable: their files are still there.
 */
export function deliverableOf(state: State, agent: AgentId): Deliverable | null {
  if (agentOf(state, agent)?.kind !== 'member') return null;
  const outcomes = outcomesOf(state.outcomes).get(agent) ?? [];
  const last = outcomes.at(-1);
  if (last === undefined || last.accepted !== null) return null;
  const accepted = outcomes.findLast((outcome) => outcome.accepted !== null);
  const from = accepted === undefined ? -1 : indexOf(accepted.runId);
  const changes = (changesOf(state.changes).get(agent) ?? []).filter(
    (change) =>
      change.undone === null && indexOf(change.runId) > from && indexOf(change.runId) <= indexOf(last.runId),
  );
  if (changes.length === 0) return null;
  return { outcome: last, state: last.returned == null ? 'to_review' : 'changes_requested', changes };
}

/** Whether the person has accepted a report that this change came with. */
export function isAccepted(state: State, change: Pick<Change, 'agentId' | 'runId'>): boolean {
  const accepted = outcomesOf(state.outcomes)
    .get(change.agentId)
    ?.findLast((outcome) => outcome.accepted !== null);
  return accepted !== undefined && indexOf(change.runId) <= indexOf(accepted.runId);
}

/** What is to review, in the order of the agents. */
export function toReview(state: State): readonly Deliverable[] {
  const found: Deliverable[] = [];
  for (const { id } of values(state.agents)) {
    const deliverable = deliverableOf(state, id);
    if (deliverable?.state === 'to_review') found.push(deliverable);
  }
  return found;
}

/** Of who bears the name now, else of the last who bore it and has something to review. */
export function deliverableNamed(state: State, name: string): Deliverable | null {
  const bearer = agentNamed(state, name);
  if (bearer !== undefined) return deliverableOf(state, bearer.id);
  const former = [...values(state.agents)].filter((agent) => agent.name === name).reverse();
  for (const { id } of former) {
    const deliverable = deliverableOf(state, id);
    if (deliverable !== null) return deliverable;
  }
  return null;
}

/** Reports that Accept covers: the one, and those before it that nobody accepted. */
export function openOutcomesUpTo(state: State, id: OutcomeId): readonly Outcome[] {
  const all = [...values(state.outcomes)];
  const last = all[indexOf(id)];
  if (last === undefined) return [];
  return all
    .slice(0, indexOf(id) + 1)
    .filter((outcome) => outcome.agentId === last.agentId && isReport(outcome) && outcome.accepted === null);
}

/** Newest last: the turns whose reports look different when something of the agent's review changes. */
export const lastReportedRuns = (state: State, agent: AgentId): readonly RunId[] =>
  (outcomesOf(state.outcomes).get(agent) ?? []).slice(-2).map((outcome) => outcome.runId);

/** A question is no report: it is answered, not accepted. */
export const isReport = (outcome: Outcome): boolean => outcome.kind !== 'question';

/** A table is persistent: the same object holds the same items, and each is grouped once. */
function grouped<T extends { readonly agentId: AgentId }>(fits: (item: T) => boolean) {
  const known = new WeakMap<Table<T>, ReadonlyMap<AgentId, readonly T[]>>();
  return (table: Table<T>): ReadonlyMap<AgentId, readonly T[]> => {
    const found = known.get(table);
    if (found !== undefined) return found;
    const groups = new Map<AgentId, T[]>();
    for (const item of values(table)) {
      if (!fits(item)) continue;
      const group = groups.get(item.agentId);
      if (group === undefined) groups.set(item.agentId, [item]);
      else group.push(item);
    }
    known.set(table, groups);
    return groups;
  };
}

const outcomesOf = grouped<Outcome>(isReport);
const changesOf = grouped<Change>(() => true);
