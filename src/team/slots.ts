import type { AgentId, ModelId, RunId, SessionId } from '../shared/ids';
import { agentOf, askOf, openAsks, openCallsOf, openRuns, openRunsOf, runOf, taskOf } from '../shared/lookup';
import type { Run, State } from '../shared/state';
import type { Facts } from './commands';

/** A run holds a slot of its model while its turn goes on; parked, unless it gave it back (L-83, X9). */
const holdsSlot = (run: Run): boolean =>
  run.phase.status === 'running' || (run.phase.status === 'parked' && run.phase.slot === 'kept');

/** Slots of a model in use, over all open sessions of the window. */
export function slotsInUse(states: readonly State[], model: ModelId): number {
  let used = 0;
  for (const state of states) {
    for (const run of openRuns(state)) if (run.model === model && holdsSlot(run)) used += 1;
  }
  return used;
}

/** Whether a parked run has something to go on with: a call that is settled, or an answered limit. */
export function mayGoOn(state: State, run: Run): boolean {
  if (run.phase.status !== 'parked' || state.session?.paused === true) return false;
  if (run.phase.on === 'pause') return true;
  if (run.phase.on === 'limit') {
    return openAsks(state, run.id).every((ask) => ask.about.type !== 'limit');
  }
  const suspended = openCallsOf(state, run.id).filter((call) => call.phase.status === 'suspended');
  // Calls are carried out in order: what the person allowed waits for their word on an earlier one of the step.
  let inTurn = true;
  for (const { phase } of suspended) {
    if (isResolved(state, phase) && (inTurn || !isAllowed(state, phase))) return true;
    if (waitsForPerson(phase)) inTurn = false;
  }
  return suspended.length === 0;
}

type Phase = ReturnType<typeof openCallsOf>[number]['phase'];

const waitsForPerson = (phase: Phase): boolean =>
  phase.status === 'suspended' && (phase.on.type === 'permission' || phase.on.type === 'question');

function isAllowed(state: State, phase: Phase): boolean {
  if (phase.status !== 'suspended' || phase.on.type !== 'permission') return false;
  const answered = askOf(state, phase.on.ask)?.phase;
  return answered?.status === 'answered' && answered.answer.type === 'allow';
}

function isResolved(state: State, phase: Phase): boolean {
  if (phase.status !== 'suspended') return true;
  // A helper has ended: its last words are the result.
  if (phase.on.type === 'helper') return openRunsOf(state, phase.on.agentId).length === 0;
  if (phase.on.type !== 'permission' && phase.on.type !== 'question') return false;
  return askOf(state, phase.on.ask)?.phase.status !== 'open';
}

export interface Startable {
  readonly session: SessionId;
  readonly runId: RunId;
}

interface Candidate extends Startable {
  readonly run: Run;
  /** 0: has its slot; 1: a lead; 2: comes back to a slot that it gave; 3: everybody else. */
  readonly rank: number;
  readonly since: number;
}

/**
 * Runs that may start or go on now, in order: the lead first, then one that comes back to a slot it had given, then
 * by when they began waiting (L-86, X9). All of the answer may start together: each takes its slot from the count.
 * @param isHeldBack whether the person has to decide on something before this run may start
 */
export function startable(
  states: readonly State[],
  facts: Pick<Facts, 'model'>,
  isHeldBack: (start: Startable) => boolean = () => false,
): readonly Startable[] {
  const candidates = states.flatMap(candidatesOf).filter((candidate) => !isHeldBack(candidate));
  candidates.sort((a, b) => a.rank - b.rank || a.since - b.since);
  const busy = new Map<ModelId, number>();
  for (const state of states) {
    for (const run of openRuns(state)) {
      if (holdsSlot(run)) busy.set(run.model, (busy.get(run.model) ?? 0) + 1);
    }
  }
  const start: Startable[] = [];
  for (const { session, runId, run } of candidates) {
    if (!holdsSlot(run)) {
      if (!hasRoom(run.model, busy, facts)) continue;
      busy.set(run.model, (busy.get(run.model) ?? 0) + 1);
    }
    start.push({ session, runId });
  }
  return start;
}

/** L-84: a free slot, and no other model of its capacity group is busy. */
function hasRoom(model: ModelId, busy: ReadonlyMap<ModelId, number>, facts: Pick<Facts, 'model'>): boolean {
  const known = facts.model(model);
  // A model that was removed starts at once and fails with a reason, instead of waiting for ever.
  if (known === null) return true;
  if (known.slots !== null && (busy.get(model) ?? 0) >= known.slots) return false;
  const group = known.capacityGroup;
  if (group === null) return true;
  for (const [other, count] of busy) {
    if (other !== model && count > 0 && facts.model(other)?.capacityGroup === group) return false;
  }
  return true;
}

function candidatesOf(state: State): readonly Candidate[] {
  const { session } = state;
  if (session === null || session.paused) return [];
  const runs = openRuns(state);
  const atWork = new Set<AgentId>();
  for (const run of runs) if (run.phase.status !== 'queued') atWork.add(run.agentId);
  const candidates: Candidate[] = [];
  for (const run of runs) {
    const isLead = agentOf(state, run.agentId)?.kind === 'lead';
    const found = { session: session.id, runId: run.id, run };
    if (run.phase.status === 'queued') {
      // At most one run per agent goes on; the first of its queued ones is next.
      if (atWork.has(run.agentId) || !gatesAreOpen(state, run)) continue;
      atWork.add(run.agentId);
      // One that was interrupted had its slot already: it doesn't queue behind those that never began.
      const rank = isLead ? 1 : run.startedAt === null ? 3 : 2;
      candidates.push({ ...found, rank, since: run.phase.since });
    } else if (run.phase.status === 'parked' && mayGoOn(state, run)) {
      const rank = run.phase.slot === 'kept' ? 0 : isLead ? 1 : 2;
      candidates.push({ ...found, rank, since: run.phase.since });
    }
  }
  return candidates;
}

/** The turn it has to wait for has ended (X2, X3), and what it needs has been delivered (C-14). */
function gatesAreOpen(state: State, run: Run): boolean {
  if (run.startAfter !== null && runOf(state, run.startAfter)?.phase.status !== 'ended') return false;
  const needed = run.taskId === null ? [] : (taskOf(state, run.taskId)?.dependsOn ?? []);
  return needed.every((taskId) => taskOf(state, taskId)?.status === 'delivered');
}
