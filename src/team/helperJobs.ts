import { values } from '../base/table';
import type { AgentId } from '../shared/ids';
import { agentOf, openRunsOf, runOf } from '../shared/lookup';
import type { Agent, FinishReason, State } from '../shared/state';
import type { Text } from '../shared/text';

/** A helper in the background as its caller sees it among its jobs. Its id is its name. */
export interface HelperJob {
  readonly id: string;
  readonly agentId: AgentId;
  /** What it does, in its caller's words. */
  readonly does: string;
  readonly status: 'waiting' | 'running' | 'ended';
  readonly startedAt: number;
  readonly end: HelperEnd | null;
}

export interface HelperEnd {
  readonly at: number;
  readonly reason: FinishReason;
  readonly detail: string | null;
  /** The final reply, or the last words; null: it was stopped. */
  readonly text: Text | null;
}

/** The helpers that an agent has started in the background, in that order, those that have ended included. */
export function helperJobsOf(state: State, caller: AgentId): readonly HelperJob[] {
  return [...values(state.agents)]
    .filter((agent) => agent.managerId === caller && agent.helper?.background === true)
    .map((agent) => helperJob(state, agent));
}

/** Members are no jobs, nor is a helper that its caller waits for in a call (L-46). */
export function backgroundHelper(state: State, caller: AgentId, name: string): Agent | null {
  for (const agent of values(state.agents)) {
    const isOwn = agent.managerId === caller && agent.helper?.background === true;
    if (isOwn && agent.name === name) return agent;
  }
  return null;
}

export function helperJob(state: State, agent: Agent): HelperJob {
  const { id: agentId, name: id, role: does, addedAt: startedAt } = agent;
  const [open] = openRunsOf(state, agentId);
  const status = open === undefined ? 'ended' : open.phase.status === 'queued' ? 'waiting' : 'running';
  return { id, agentId, does, status, startedAt, end: open === undefined ? helperEnd(state, agentId) : null };
}

/** How a helper's last turn ended; null while one goes on. */
export function helperEnd(state: State, id: AgentId): HelperEnd | null {
  const last = agentOf(state, id)?.runs.at(-1);
  const phase = last === undefined ? undefined : runOf(state, last)?.phase;
  if (phase?.status !== 'ended') return null;
  const { at, reason, detail, text } = phase;
  return { at, reason, detail, text };
}
