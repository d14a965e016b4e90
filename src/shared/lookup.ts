import { at, type Table, values } from '../base/table';
import { type AgentId, indexOf, type LocalId, type RunId } from './ids';
import type {
  Agent,
  Ask,
  Call,
  Change,
  Delivery,
  Job,
  Message,
  Note,
  Outcome,
  Run,
  State,
  Step,
  Task,
} from './state';
import type { Undo } from './undoRecord';

const find = <T>(table: Table<T>, id: LocalId): T | undefined => at(table, indexOf(id));

export const agentOf = (state: State, id: Agent['id']): Agent | undefined => find(state.agents, id);
export const runOf = (state: State, id: Run['id']): Run | undefined => find(state.runs, id);
export const stepOf = (state: State, id: Step['id']): Step | undefined => find(state.steps, id);
export const callOf = (state: State, id: Call['id']): Call | undefined => find(state.calls, id);
export const messageOf = (state: State, id: Message['id']): Message | undefined => find(state.messages, id);
export const deliveryOf = (state: State, id: Delivery['id']): Delivery | undefined =>
  find(state.deliveries, id);
export const taskOf = (state: State, id: Task['id']): Task | undefined => find(state.tasks, id);
export const outcomeOf = (state: State, id: Outcome['id']): Outcome | undefined => find(state.outcomes, id);
export const changeOf = (state: State, id: Change['id']): Change | undefined => find(state.changes, id);
export const askOf = (state: State, id: Ask['id']): Ask | undefined => find(state.asks, id);
export const noteOf = (state: State, id: Note['id']): Note | undefined => find(state.notes, id);
export const undoOf = (state: State, id: Undo['id']): Undo | undefined => find(state.undos, id);
export const jobOf = (state: State, id: Job['id']): Job | undefined => find(state.jobs, id);

/** Commands in the background that have not ended, oldest first. */
export const openJobs = (state: State): readonly Job[] =>
  state.open.jobs.flatMap((id) => jobOf(state, id) ?? []);

/** The agent that answers to this name now. A name is resolved when it is used, and a former bearer is not found (X1). */
export function agentNamed(state: State, name: string): Agent | undefined {
  for (const agent of values(state.agents)) if (agent.name === name && agent.left === null) return agent;
  return undefined;
}

export function leadOf(state: State): Agent | undefined {
  for (const agent of values(state.agents)) if (agent.kind === 'lead' && agent.left === null) return agent;
  return undefined;
}

/** Runs that have not ended, oldest first. Costs no more than what is open. */
export function openRuns(state: State): readonly Run[] {
  return state.open.runs.flatMap((id) => runOf(state, id) ?? []);
}

/** The agent's run that goes on now: running, parked or interrupted, never a queued one. */
export function activeRunOf(state: State, agentId: AgentId): Run | undefined {
  return openRuns(state).find((run) => run.agentId === agentId && run.phase.status !== 'queued');
}

export function openRunsOf(state: State, agentId: AgentId): readonly Run[] {
  return openRuns(state).filter((run) => run.agentId === agentId);
}

/** Calls of a run that have no result yet, in the order the model made them. */
export function openCallsOf(state: State, runId: RunId): readonly Call[] {
  const run = runOf(state, runId);
  if (run === undefined) return [];
  // Calls of earlier steps all have their result before the next step: only the newest step can have open ones.
  for (let i = run.entries.length - 1; i >= 0; i--) {
    const entry = run.entries[i];
    if (entry?.type !== 'step') continue;
    const calls = stepOf(state, entry.step)?.calls ?? [];
    return calls.flatMap((id) => callOf(state, id) ?? []).filter((call) => call.phase.status !== 'finished');
  }
  return [];
}

/** Deliveries to the agent that nobody picked up yet, in posting order. */
export function pendingFor(state: State, agentId: AgentId): readonly Delivery[] {
  return state.open.deliveries
    .flatMap((id) => deliveryOf(state, id) ?? [])
    .filter((delivery) => delivery.to === agentId && delivery.phase.status === 'pending');
}

/** Questions to the person that are open, of one run or of all. */
export function openAsks(state: State, runId: RunId | null): readonly Ask[] {
  const asks = state.open.asks.flatMap((id) => askOf(state, id) ?? []);
  return runId === null ? asks : asks.filter((ask) => ask.runId === runId);
}

/** Whether the lead is to be told something at once. */
export const hasPressing = (state: State): boolean =>
  state.open.notes.some((id) => noteOf(state, id)?.pressing === true);
