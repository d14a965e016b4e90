import { values } from '../base/table';
import type { AgentId } from '../shared/ids';
import { openJobs, openRunsOf } from '../shared/lookup';
import type { Job, JobStop, Principal, State } from '../shared/state';
import type { Draft } from './draft';

/** Commands in the background that one agent may have at a time: more is a mistake, and each costs the person's machine. */
export const MOST_JOBS = 8;

/** Commands of the agent that have not ended, oldest first. */
export const runningJobs = (state: State, agentId: AgentId): readonly Job[] =>
  openJobs(state).filter((job) => job.agentId === agentId);

/** Ended ones that are still shown: the latest of the agent. */
const SHOWN_ENDED = 20;

/** An agent's own commands in the background: those that run and the latest that have ended, oldest first. */
export function jobsOf(state: State, agentId: AgentId): readonly Job[] {
  const own = [...values(state.jobs)].filter((job) => job.agentId === agentId);
  const ended = own.filter((job) => job.phase.status === 'ended').slice(-SHOWN_ENDED);
  return own.filter((job) => job.phase.status !== 'ended' || ended.includes(job));
}

/** Decides that all commands of an agent end; they have ended when the host says so. */
export function stopJobs(draft: Draft, agentId: AgentId, by: Principal, why: JobStop): void {
  for (const job of runningJobs(draft.state, agentId)) {
    if (job.phase.status === 'running') draft.push({ type: 'job.stopping', jobId: job.id, by, why });
  }
}

/** Whether a command's end is still to come that starts something, or that was decided already. */
export const awaitsJobs = (state: State): boolean =>
  openJobs(state).some(
    (job) => job.phase.status === 'stopping' || openRunsOf(state, job.agentId).length === 0,
  );
