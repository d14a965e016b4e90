import { valuesFrom } from '../base/table';
import type { AgentId, RunId } from '../shared/ids';
import { agentOf, deliveryOf, runOf, taskOf } from '../shared/lookup';
import { retriedRun } from '../shared/retry';
import type { Agent, Message, Run, State } from '../shared/state';
import type { Policy } from './policy';
import { isUnder } from './roster';

/** How many messages one reading answers (L-65). */
export const READ_MAX = 50;

export interface Visible {
  readonly messages: readonly Message[];
  /** Number to read on after; null when all was shown. */
  readonly nextSince: number | null;
}

/** Room messages numbered above `since` that the agent may see, oldest first, at most `READ_MAX` (L-65). */
export function visibleMessages(state: State, id: AgentId, since: number, policy: Policy): Visible {
  const agent = agentOf(state, id);
  if (agent === undefined) return { messages: [], nextSince: null };
  const messages: Message[] = [];
  // A message with number n lies at n - 1 or later: messages outside the room only push it back.
  for (const message of valuesFrom(state.messages, since)) {
    if (message.n === null || message.n <= since || message.flagged) continue;
    if (!maySee(state, agent, message, policy)) continue;
    if (messages.length === READ_MAX) return { messages, nextSince: messages.at(-1)?.n ?? null };
    messages.push(message);
  }
  return { messages, nextSince: null };
}

/** X19: one log, and the style's filter on it. */
export function maySee(state: State, agent: Agent, message: Message, policy: Policy): boolean {
  const parties = partiesOf(state, message);
  switch (policy.visibility) {
    case 'all':
      return true;
    case 'inbox':
      return parties.includes(agent.id);
    case 'subtree':
      return agent.kind === 'lead' || parties.some((id) => id === agent.id || isUnder(state, id, agent.id));
    case 'thread':
      return message.thread !== null && taskOf(state, message.thread)?.agentId === agent.id;
    case 'own_delegation':
      return parties.includes(agent.id) && message.runId !== null;
  }
}

/** Sender and recipients as they were at posting; one that left keeps its id, so old rows stay readable (X1). */
function partiesOf(state: State, message: Message): readonly AgentId[] {
  const to = message.deliveries.flatMap((id) => deliveryOf(state, id)?.to ?? []);
  return message.from.type === 'agent' ? [message.from.id, ...to] : to;
}

/** X15: the runs whose transcript is the context of a run, in order, that run last. */
export function contextRuns(state: State, runId: RunId, policy: Policy): readonly RunId[] {
  const run = runOf(state, runId);
  const agent = run === undefined ? undefined : agentOf(state, run.agentId);
  if (run === undefined || agent === undefined) return [];
  const upTo = agent.runs.slice(0, agent.runs.indexOf(runId) + 1);
  switch (policy.wakeContext) {
    case 'intact':
      return upTo;
    case 'thread':
      return upTo.filter((id) => runOf(state, id)?.taskId === run.taskId);
    case 'rebuilt':
    case 'fresh':
      return goneOnWith(state, run);
  }
}

/** A turn, after those whose stored steps it goes on from. */
function goneOnWith(state: State, run: Run): readonly RunId[] {
  const before = retriedRun(state, run);
  return before === null ? [run.id] : [...goneOnWith(state, before), run.id];
}
