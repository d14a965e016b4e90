import type { TeamEvent } from '../shared/events';
import { activeRunOf, agentNamed, agentOf, openRunsOf, runOf } from '../shared/lookup';
import type { RunPhase, State } from '../shared/state';
import type { Text } from '../shared/text';
import type { Facts, RoomView, TeamCommand, TeamFact } from './commands';
import { addressed } from './room';
import { lastActivityAt, sizeOf, statusOf, treeOrder } from './roster';
import { startable } from './slots';
import { visibleMessages } from './visibility';

export interface AnswerContext {
  readonly facts: Facts;
  /** The whole body of a text. */
  readonly read: (text: Text) => Promise<string>;
  /** The window's other open sessions: they share the models' slots. */
  readonly others: readonly State[];
}

/**
 * What came of a team command, for the façade to word.
 * @param state right after the command's events
 * @param events those of the command
 */
export async function answerOf(
  state: State,
  command: TeamCommand,
  events: readonly TeamEvent[],
  context: AnswerContext,
): Promise<TeamFact> {
  switch (command.type) {
    case 'team_add':
      return {
        type: 'added',
        name: command.name,
        size: sizeOf(state, context.facts.policy),
        waiting: waits(state, command.name, context),
        ...alike(state, command.name, command.role),
      };
    case 'team_send':
      return { type: 'sent', to: addressed(command.to) };
    case 'team_stop':
      return { type: 'stopped', names: stoppedNames(state, events) };
    case 'report': {
      const managerId = agentOf(state, command.by)?.managerId ?? null;
      const manager = managerId === null ? undefined : agentOf(state, managerId);
      return { type: 'reported', to: manager?.name ?? '' };
    }
    case 'task': {
      const added = events.find((event) => event.type === 'agent.added');
      if (added === undefined) throw new Error('a task without a helper');
      const { name, id: agentId } = added.agent;
      return { type: 'helper_started', name, agentId, background: command.background };
    }
    case 'helper_send': {
      const restarted = events.some((event) => event.type === 'agent.returned');
      return { type: 'helper_told', name: command.name, restarted };
    }
    case 'helper_stop':
      return { type: 'helper_stopped', name: command.name };
    case 'todo':
      return { type: 'listed' };
    case 'team_read':
      return { type: 'room', view: await roomView(state, command, context) };
    case 'delegate': {
      const taskId = agentNamed(state, command.name)?.taskId ?? null;
      const thread = command.thread ?? taskId;
      if (thread === null) throw new Error('a delegation without a sub-task');
      return { type: 'delegated', taskId: thread };
    }
  }
}

/** L-44: added, but its turn can't begin now for want of a slot. */
function waits(state: State, name: string, { facts, others }: AnswerContext): boolean {
  const agent = agentNamed(state, name);
  if (agent === undefined) return false;
  const [queued] = openRunsOf(state, agent.id);
  if (queued === undefined) return false;
  if (runOf(state, queued.id)?.phase.status !== 'queued') return false;
  return !startable([state, ...others], facts).some(
    (start) => start.runId === queued.id && start.session === state.session?.id,
  );
}

/** A member at work or waiting that has the same role as the one that was added. */
function alike(state: State, added: string, role: string): { readonly alike?: string } {
  const wanted = role.trim().toLowerCase();
  for (const { agent } of treeOrder(state)) {
    if (agent.name === added || agent.role.trim().toLowerCase() !== wanted) continue;
    if (openRunsOf(state, agent.id).length > 0) return { alike: agent.name };
  }
  return {};
}

const asksPerson = (phase: RunPhase | undefined): boolean =>
  phase?.status === 'parked' && ['permission', 'question', 'limit'].includes(phase.on);

/** L-93: members, in tree order, which is the order in which they left. */
function stoppedNames(state: State, events: readonly TeamEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== 'agent.left') return [];
    const agent = agentOf(state, event.agentId);
    return agent?.kind === 'member' ? [agent.name] : [];
  });
}

async function roomView(
  state: State,
  command: Extract<TeamCommand, { type: 'team_read' }>,
  { facts, read }: AnswerContext,
): Promise<RoomView> {
  const { messages, nextSince } = visibleMessages(state, command.by, command.since, facts.policy);
  return {
    at: facts.now,
    tree: treeOrder(state).map(({ agent, depth }) => ({
      name: agent.name,
      depth,
      role: agent.role,
      manager: agent.managerId === null ? null : (agentOf(state, agent.managerId)?.name ?? null),
      state: statusOf(state, agent),
      asksPerson: asksPerson(activeRunOf(state, agent.id)?.phase),
      model: agent.model,
      lastActivityAt: lastActivityAt(state, agent),
    })),
    messages: await Promise.all(
      messages.map(async (message) => ({
        n: message.n ?? 0,
        from: message.fromName,
        to: message.to,
        report: message.kind === 'report',
        at: message.at,
        text: await read(message.text),
        ended: message.ended,
      })),
    ),
    nextSince,
  };
}
