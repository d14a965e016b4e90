import { fail, ok } from '../base/result';
import { type JobId, localId } from '../shared/ids';
import { agentOf, callOf, jobOf, openJobs } from '../shared/lookup';
import type { Agent, Job } from '../shared/state';
import type { Text } from '../shared/text';
import type { Decide, Facts, RunCommand } from './commands';
import { Draft } from './draft';
import { MOST_JOBS, runningJobs } from './jobs';
import { post } from './post';
import { runIn } from './runs';

type Of<T extends RunCommand['type']> = Decide<Extract<RunCommand, { type: T }>>;

const HOST = { type: 'host' } as const;
/** From whom the word of an ended command comes. */
const HOST_NAME = 'host';

export const decideStartJob: Of<'start_job'> = (state, command, facts) => {
  const call = callOf(state, command.callId);
  if (call === undefined) return fail({ code: 'gone', what: 'call' });
  if (call.phase.status === 'finished') return fail({ code: 'wrong_state', what: 'call', is: 'finished' });
  // A stopped run acts no more, whatever its tool was about to do.
  const run = runIn(state, call.runId, 'running');
  if (!run.ok) return run;
  const { agentId, runId } = call;
  if (runningJobs(state, agentId).length >= MOST_JOBS) {
    return fail({ code: 'not_allowed', what: `more than ${MOST_JOBS} commands in the background` });
  }
  const { type: _type, ...started } = command;
  const draft = new Draft(state, facts.now);
  const id = localId<JobId>('j', state.jobs.size);
  draft.push({ type: 'job.started', job: { id, agentId, runId, ...started } });
  return ok(draft.events);
};

/** An agent stops a command of its own. */
export const decideStopJob: Of<'stop_job'> = (state, { by, jobId }, facts) => {
  const job = jobOf(state, jobId);
  if (job === undefined || job.agentId !== by) return fail({ code: 'unknown', name: jobId });
  if (job.phase.status !== 'running') return fail({ code: 'wrong_state', what: 'job', is: job.phase.status });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'job.stopping', jobId, by: { type: 'agent', id: by }, why: 'asked' });
  return ok(draft.events);
};

/** The host closes: whatever runs in the background ends with it. */
export const decideCloseJobs: Of<'close_jobs'> = (state, _command, facts) => {
  const draft = new Draft(state, facts.now);
  for (const { id, phase } of openJobs(state)) {
    if (phase.status === 'running') draft.push({ type: 'job.stopping', jobId: id, by: HOST, why: 'closed' });
  }
  return ok(draft.events);
};

/** A command has ended. Its agent is told in the same record, so that it is told once whatever happens afterwards. */
export const decideEndJob: Of<'end_job'> = (state, { jobId, end, words, wake }, facts) => {
  const job = jobOf(state, jobId);
  if (job === undefined) return fail({ code: 'unknown', name: jobId });
  if (job.phase.status === 'ended') return fail({ code: 'wrong_state', what: 'job', is: 'ended' });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'job.ended', jobId, end });
  const agent = agentOf(state, job.agentId);
  if (agent !== undefined && isToBeTold(job, agent)) {
    tell(draft, agent, words, wake && job.phase.status === 'running', facts);
  }
  return ok(draft.events);
};

/** Not one that left, nor one that ended it itself, nor a member whose turn is over (L-48). */
function isToBeTold({ phase }: Job, agent: Agent): boolean {
  if (agent.left !== null) return false;
  return phase.status !== 'stopping' || (phase.why !== 'asked' && phase.why !== 'turn_ended');
}

/** Mail that wakes an idle lead; what was stopped from outside, and what a restart broke off, starts nothing by itself. */
function tell(draft: Draft, agent: Agent, text: Text, wake: boolean, facts: Facts): void {
  const wakes = wake && agent.kind === 'lead';
  const policy = { ...facts.policy, wake: wakes ? (facts.policy.wake ?? 'now') : null };
  const message = {
    from: HOST,
    fromName: HOST_NAME,
    to: [agent.name],
    recipients: [agent.id],
    text,
  } as const;
  post(draft, { ...message, kind: 'job' }, policy);
}
