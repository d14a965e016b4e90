import { agentOf, jobOf } from '../lookup';
import type { Job, State } from '../state';
import { add, change, closed, type Handlers, opened } from './handler';

export const jobHandlers: Handlers<'job.started' | 'job.stopping' | 'job.ended'> = {
  'job.started': (state, event) => {
    const agent = agentOf(state, event.job.agentId);
    if (agent === undefined || agent.left !== null) return null;
    const added = add(state, 'jobs', { ...event.job, at: event.at, phase: { status: 'running' } });
    return added === null ? null : opened(added, 'jobs', event.job.id);
  },
  'job.stopping': (state, event) => {
    const { jobId, by, why, at } = event;
    return change(state, 'jobs', jobId, (job): Job | null =>
      job.phase.status === 'running' ? { ...job, phase: { status: 'stopping', at, by, why } } : null,
    );
  },
  'job.ended': (state, event): State | null => {
    const { jobId, end, at } = event;
    const phase = jobOf(state, jobId)?.phase;
    if (phase === undefined || phase.status === 'ended') return null;
    const stopped = phase.status === 'stopping' ? { by: phase.by, why: phase.why } : null;
    const ended = change(
      state,
      'jobs',
      jobId,
      (job): Job => ({ ...job, phase: { status: 'ended', at, end, stopped } }),
    );
    return ended === null ? null : closed(ended, 'jobs', jobId);
  },
};
