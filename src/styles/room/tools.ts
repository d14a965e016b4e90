import * as z from 'zod';
import type { ToolAnswer, ToolContext } from '../../runtime/toolPorts';
import { INLINE_BYTES, inline } from '../../shared/text';
import type { TeamCommand } from '../../team/commands';
import { defineTool, okText, refusedText, type Tool } from '../../tools/defineTool';
import { task } from './task';
import * as texts from './texts';
import { viewText } from './view';
import { wholeText } from './wholeText';

/** One path for all: the command is done in the caller's name, the answer or the refusal is worded here. */
async function perform(context: ToolContext, command: TeamCommand): Promise<ToolAnswer> {
  const answer = await context.team.do(command);
  if (!answer.ok) return refusedText(texts.refusal(answer.error));
  return okText(answer.value.type === 'room' ? viewText(answer.value.view) : texts.fact(answer.value));
}

const teamAdd = defineTool({
  name: 'team_add',
  risk: 'interact',
  description: `Adds a member to the team. It starts at once in the background, or waits for a free slot of its model; its final reply comes to you as its report.
The member sees its task, role, manager and the goal, not your conversation, and can't ask the person.
Refused, checked in this order: no team is possible now; the name "all"; a name that is not a lower-case letter followed by at most 31 lower-case letters, digits, "-" or "_"; a name in use ("lead" and "person" always are); no goal, when neither this call nor your own task gives one; a full team. An unknown agent or model is refused too. Nothing is added then.
While you have a member, finished ones included, your own calls that write files or run more than reading commands are refused.`,
  schema: z.strictObject({
    name: z.string().describe('Unique on the team; messages and reports go by it.'),
    role: wholeText('role').describe('What it is on this team, in a few words.'),
    task: wholeText('task').describe(
      'Its whole briefing: the goal of its part, what it owns, what it must not touch, what its report must say.',
    ),
    goal: z
      .string()
      .refine(
        (goal) => Buffer.byteLength(goal) <= INLINE_BYTES,
        'goal is longer than 1 KB: put details into task',
      )
      .optional()
      .describe(
        'What the whole team is for, in at most 1 KB. Needed the first time; later only when it has changed.',
      ),
    agent: z.string().optional().describe('"general" does the work (the default); "explore" only reads.'),
    model: z.string().optional().describe('Id of a model entry; your own if left out.'),
    lead: z.boolean().optional().describe('true: it may add and stop members of its own.'),
  }),
  execute: (args, context) =>
    perform(context, {
      type: 'team_add',
      by: context.agentId,
      name: args.name,
      role: args.role,
      brief: inline(args.task),
      goal: args.goal === undefined || args.goal.trim() === '' ? null : inline(args.goal),
      expert: args.agent ?? null,
      model: args.model ?? null,
      lead: args.lead ?? false,
    }),
});

const teamSend = defineTool({
  name: 'team_send',
  risk: 'interact',
  description: `Posts one message in the team's room. It goes to the agents named, or with ["all"] to everybody else on the team now; it reaches an agent between its steps, or wakes one that had finished. It does not wait for an answer: answers come to you by themselves.
Refused, with nothing posted, checked in this order: no team is possible now; all, when nobody else is on the team; a name that is not on the team; your own name. An empty list or an empty message is refused too.`,
  schema: z.strictObject({
    // The schema shows the list alone, which every server takes; a lone string is read as a one-name list (L-50).
    to: z
      .preprocess((to) => (typeof to === 'string' ? [to] : to), z.array(z.string()))
      .describe('Names of agents, or ["all"].'),
    message: wholeText('message'),
  }),
  execute: ({ to, message }, context) =>
    perform(context, { type: 'team_send', by: context.agentId, to, text: inline(message) }),
});

const teamRead = defineTool({
  name: 'team_read',
  risk: 'interact',
  volatile: true,
  description: `Shows the whole team as a tree (name, role, manager, state, model, last activity) and the room's messages numbered above since that you may see, oldest first, at most 50 at a time. The lead sees all messages; others those that they or anybody under them sent or received. States: working (perhaps waiting for the person's answer, which it says), waiting (has work, waits for a slot), finished (a message wakes it), idle (the lead between turns).
News comes to you by itself; there is no need to poll. Refused when no team is possible now.`,
  schema: z.strictObject({
    since: z.int().min(0).optional().describe('Show messages numbered above this; 0 if left out.'),
  }),
  execute: ({ since }, context) =>
    perform(context, { type: 'team_read', by: context.agentId, since: since ?? 0 }),
});

const teamStop = defineTool({
  name: 'team_stop',
  risk: 'interact',
  description: `Stops one member with everybody under it, or with "all" every member under you. Their turns and commands end where they are, messages that wait for them are dropped, no report comes from them, and they leave the team: their places and their names are free.
Refused, checked in this order: no team is possible now; all, when nobody is under you; a name that is not on the team; yourself, or an agent that is not under you.`,
  schema: z.strictObject({
    name: z.string().describe('A member under you, or "all".'),
  }),
  execute: ({ name }, context) => perform(context, { type: 'team_stop', by: context.agentId, name }),
});

const report = defineTool({
  name: 'report',
  risk: 'interact',
  description: `Sends your manager a message while you go on working: something it should know before your turn ends. Your final reply is sent to it anyway, so don't repeat that here. Only a member has a manager; an empty message is refused.`,
  schema: z.strictObject({ message: wholeText('message') }),
  execute: ({ message }, context) =>
    perform(context, { type: 'report', by: context.agentId, text: inline(message) }),
});

export const roomTools: readonly Tool[] = [teamAdd, teamSend, teamRead, teamStop, report, task];
