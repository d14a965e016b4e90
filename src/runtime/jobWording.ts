import { never } from '../base/never';
import type { Job, JobEnd, JobStop } from '../shared/state';
import { endedOf } from '../team/endRun';
import type { HelperEnd, HelperJob } from '../team/helperJobs';
import type { JobLine } from './toolPorts';

/**
 * How a command ended, as a part of a sentence: "ended with exit code 1".
 * @param by why it was to end, if that was decided
 */
export function endedHow(
  { how, exitCode, signal, detail }: Omit<JobEnd, 'output' | 'from'>,
  by: JobStop | null,
): string {
  const more = detail === null ? '' : ` (${detail})`;
  switch (how) {
    case 'exited':
      return signal === null ? `ended with exit code ${exitCode}${more}` : `was ended by ${signal}${more}`;
    case 'timed_out':
      return `was ended at its time limit${more}`;
    case 'stopped':
      return `was ended${by === null ? '' : ` ${stopWords(by)}`}${more}`;
    case 'not_begun':
      return 'was stopped before it began';
    case 'unknown':
      return 'was ended by a restart of the host; nobody knows how far it got';
    default:
      return never(how);
  }
}

function stopWords(why: JobStop): string {
  switch (why) {
    case 'asked':
      return 'as you asked';
    case 'turn_ended':
      return 'with your turn';
    case 'agent_stopped':
      return 'with your turn, which was stopped';
    case 'closed':
      return 'because the host was closed';
    default:
      return never(why);
  }
}

export interface EndedJob {
  readonly ranMs: number;
  /** The end of its output. */
  readonly tail: string;
  /** Whether there is more before it. */
  readonly cut: boolean;
}

/** What its agent is told when a command of its own has ended. */
export function jobEndWords(
  { id, command, phase }: Job,
  end: Omit<JobEnd, 'output' | 'from'>,
  { ranMs, tail, cut }: EndedJob,
): string {
  const head = `Your background command ${id} (${oneLine(command)}) ${endedHow(end, phase.status === 'stopping' ? phase.why : null)} after ${seconds(ranMs)}.`;
  if (tail.trim() === '') return `${head} It printed nothing${cut ? ' at its end' : ''}.`;
  const whole = cut ? 'The end of its output (job_read gives the rest):' : 'Its output:';
  return `${head} ${whole}\n${tail.trimEnd()}`;
}

/** Of a command whose host died: its output died with it. */
export const lostJobWords = ({ id, command }: Job): string =>
  `Your background command ${id} (${oneLine(command)}) was running when the host ended. Nobody knows how far it got and its output is lost; what was left of it was ended. It was not run again: look at its effects and decide.`;

/** Of the call that had started it and never got its answer. */
export const startedBeforeRestart = ({ id, command }: Job): string =>
  `The command (${oneLine(command)}) had been started in the background as ${id} just before the host ended. It does not run any more and was not started again.`;

const LONGEST_COMMAND = 200;

const oneLine = (command: string): string => {
  const line = command.replace(/\s+/gu, ' ').trim();
  return line.length > LONGEST_COMMAND ? `${line.slice(0, LONGEST_COMMAND).toWellFormed()}…` : line;
};

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;

/** A command as its agent sees it among its jobs. */
export function commandLine({ id, command, cwd, at, phase }: Job, now: number): JobLine {
  const what = `${oneLine(command)} (in ${cwd})`;
  switch (phase.status) {
    case 'running':
      return { id, kind: 'command', what, state: `runs for ${seconds(now - at)}` };
    case 'stopping':
      return { id, kind: 'command', what, state: 'is being ended' };
    case 'ended': {
      const how = endedHow(phase.end, phase.stopped?.why ?? null);
      return { id, kind: 'command', what, state: `${how} after ${seconds(phase.at - at)}` };
    }
    default:
      return never(phase);
  }
}

export function helperLine({ id, does, status, startedAt, end }: HelperJob, now: number): JobLine {
  const line = { id, kind: 'helper', what: does } as const;
  if (end !== null) return { ...line, state: helperEnded(end) };
  if (status === 'waiting') return { ...line, state: 'waits for a slot' };
  return { ...line, state: `works for ${seconds(now - startedAt)}` };
}

function helperEnded({ reason, detail }: HelperEnd): string {
  if (reason === 'stopped') return 'was stopped';
  return endedOf({ reason, detail }) === null ? 'has ended' : `has ended by ${detail ?? reason}`;
}
