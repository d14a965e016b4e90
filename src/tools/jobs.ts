import * as z from 'zod';
import listText from '../../prompts/tools/job_list.md';
import readText from '../../prompts/tools/job_read.md';
import sendText from '../../prompts/tools/job_send.md';
import stopText from '../../prompts/tools/job_stop.md';
import { never } from '../base/never';
import type { JobLine, JobReading, ToolAnswer, ToolContext } from '../runtime/toolPorts';
import { inline } from '../shared/text';
import { defineTool, errorText, okText, refusedText, type Tool } from './defineTool';
import { describe } from './describe';

/** As in runtime/jobs and runtime/jobOutput. */
const READ_KB = 20;
const KEPT_KB = 1000;
const MOST_WAIT_SECONDS = 300;
const MOST_SENT_CHARS = 20_000;

const jobId = z.string().min(1).describe('Its id.');

/** Members' jobs and members themselves are not found either (L-46). */
const noJob = (id: string): ToolAnswer => refusedText(`You have no job "${id}". job_list shows yours.`);

const lineText = ({ id, kind, what, state }: JobLine): string =>
  kind === 'helper' ? `${id} (helper) ${state}: ${what}` : `${id} ${state}: ${what}`;

const jobList = defineTool({
  name: 'job_list',
  risk: 'interact',
  volatile: true,
  description: describe(listText),
  schema: z.strictObject({}),
  execute: (_args, { jobs }) => {
    const lines = jobs.list().map(lineText);
    return Promise.resolve(okText(lines.length === 0 ? 'You have no jobs.' : lines.join('\n')));
  },
});

const jobRead = defineTool({
  name: 'job_read',
  risk: 'interact',
  volatile: true,
  description: describe(readText, { most: READ_KB, kept: KEPT_KB }),
  schema: z.strictObject({
    job: jobId,
    since: z.int().min(0).optional().describe('Characters that you know already.'),
    wait_seconds: z.int().min(0).max(MOST_WAIT_SECONDS).optional().describe('Wait for its end.'),
  }),
  execute: async ({ job, since, wait_seconds }, { jobs }) => {
    const reading = await jobs.read(job, since ?? 0, (wait_seconds ?? 0) * 1000);
    return reading === null ? noJob(job) : okText(readingText(reading, since ?? 0));
  },
});

function readingText(reading: JobReading, since: number): string {
  const { kind, text, from, next, rest } = reading;
  const parts = [lineText(reading)];
  if (kind === 'helper') return text.trim() === '' ? lineText(reading) : `${lineText(reading)}\n${text}`;
  if (from > since) parts.push(`[Characters ${since} to ${from} are no longer kept.]`);
  parts.push(text === '' ? (since === 0 ? 'No output so far.' : 'Nothing new.') : text.trimEnd());
  parts.push(rest > 0 ? `[${rest} more characters: read on with since ${next}.]` : `[Output up to ${next}.]`);
  return parts.join('\n');
}

const jobSend = defineTool({
  name: 'job_send',
  risk: 'interact',
  description: describe(sendText, { most: MOST_SENT_CHARS / 1000 }),
  schema: z.strictObject({
    job: jobId,
    text: z.string().describe('The input, or the words.'),
    newline: z.boolean().optional().describe('false: send the text as it is.'),
    close: z.boolean().optional().describe('true: the input of the command ends after it.'),
  }),
  execute: async ({ job, text, newline, close }, context) => {
    if (text.length > MOST_SENT_CHARS)
      return errorText(`The text has more than ${MOST_SENT_CHARS / 1000} KB. Nothing was sent.`);
    if (isHelper(context, job)) {
      return toHelper(context, { type: 'helper_send', by: context.agentId, name: job, text: inline(text) });
    }
    const input = newline === false || text.endsWith('\n') ? text : `${text}\n`;
    const sent = await context.jobs.send(job, input, close ?? false);
    switch (sent) {
      case null:
        return noJob(job);
      case 'taken':
        return okText(`Sent to ${job}.${close === true ? ' Its input has ended.' : ''}`);
      case 'waits':
        return okText(`${job} has not taken it yet; it gets it as soon as it reads.`);
      case 'closed':
        return errorText(`${job} takes no input any more. Nothing was sent.`);
      case 'ended':
        return refusedText(`${job} has ended. Nothing was sent.`);
      default:
        return never(sent);
    }
  },
});

const isHelper = ({ jobs }: ToolContext, id: string): boolean =>
  jobs.list().some((line) => line.kind === 'helper' && line.id === id);

async function toHelper({ team, jobs }: ToolContext, command: HelperCommand): Promise<ToolAnswer> {
  const answer = await team.do(command);
  if (!answer.ok) return refusedText(jobs.words.refusal(answer.error));
  return answer.value.type === 'room' ? noJob(command.name) : okText(jobs.words.fact(answer.value));
}

type HelperCommand = Extract<
  Parameters<ToolContext['team']['do']>[0],
  { type: 'helper_send' | 'helper_stop' }
>;

/** Managing what runs is not work, though it is of the class execute (L-69). */
const jobStop = defineTool({
  name: 'job_stop',
  risk: 'execute',
  description: describe(stopText),
  schema: z.strictObject({ job: jobId }),
  execute: async ({ job }, context) => {
    if (isHelper(context, job)) {
      return toHelper(context, { type: 'helper_stop', by: context.agentId, name: job });
    }
    const stopped = await context.jobs.stop(job);
    if (stopped === null) return noJob(job);
    return okText(
      stopped === 'ended' ? `${job} had ended already.` : `${job} was ended with all its processes.`,
    );
  },
});

export const jobTools: readonly Tool[] = [jobList, jobRead, jobSend, jobStop];
