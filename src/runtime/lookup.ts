import { at } from '../base/table';
import { type AgentId, type AskId, type CallId, indexOf, type RunId, type StepId } from '../shared/ids';
import type { Agent, Ask, Call, Run, State, Step } from '../shared/state';

export const agentOf = (state: State, id: AgentId): Agent | undefined => at(state.agents, indexOf(id));
export const runOf = (state: State, id: RunId): Run | undefined => at(state.runs, indexOf(id));
export const stepOf = (state: State, id: StepId): Step | undefined => at(state.steps, indexOf(id));
export const callOf = (state: State, id: CallId): Call | undefined => at(state.calls, indexOf(id));
export const askOf = (state: State, id: AskId): Ask | undefined => at(state.asks, indexOf(id));

/** For what must be there: an absent one is a fault of ours, not of the input. */
export function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is not in the state`);
  return value;
}
