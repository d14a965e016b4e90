import * as z from 'zod';
import text from '../../../prompts/tools/task.md';
import { inline } from '../../shared/text';
import { defineTool, okText, refusedText } from '../../tools/defineTool';
import * as texts from './texts';
import { wholeText } from './wholeText';

/** L-74: delegation to an isolated helper; it stays a manager's, and counts to the size. */
export const task = defineTool({
  name: 'task',
  risk: 'interact',
  description: text.trimEnd(),
  schema: z.strictObject({
    description: wholeText('description').describe('What it does, in three to eight words.'),
    task: wholeText('task').describe('Its whole briefing: all that it will know of the matter.'),
    agent: z.string().optional().describe('"general" does the work (the default); "explore" only reads.'),
    model: z.string().optional().describe('Id of a model entry; your own if left out.'),
    background: z.boolean().optional().describe('true: do not wait for its reply.'),
  }),
  execute: async (args, context) => {
    const answer = await context.team.do({
      type: 'task',
      by: context.agentId,
      callId: context.callId,
      does: args.description.trim(),
      brief: inline(args.task),
      expert: args.agent ?? null,
      model: args.model ?? null,
      background: args.background ?? false,
    });
    if (!answer.ok) return refusedText(texts.refusal(answer.error));
    const done = answer.value;
    if (done.type !== 'helper_started') throw new Error(`a task that ${done.type}`);
    if (done.background) return okText(texts.fact(done));
    return { type: 'suspend', on: { type: 'helper', agentId: done.agentId } };
  },
});
