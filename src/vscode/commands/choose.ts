import { values } from '../../base/table';
import type { SessionId } from '../../shared/ids';
import { activityOf } from '../../shared/project/doing';
import { activitySentence } from '../../shared/project/sentence';
import { clockTime } from '../../shared/project/words';
import type { Agent, State } from '../../shared/state';
import type { PickItem } from '../asker';
import { type OpenSession, titleOf } from '../sessions';
import type { AgentsNode } from '../views/agentsNodes';
import type { Desk } from './desk';

/** An agent of a session, as it was when it was chosen. */
export interface Chosen {
  readonly session: SessionId;
  readonly agent: Agent;
  readonly state: State;
}

/**
 * Chooses an agent: the tree row that the command was called on, or from a list of all sessions in memory.
 * @param fits leaves out agents that the command can't be about
 */
export async function chooseAgent(
  desk: Desk,
  args: readonly unknown[],
  question: { readonly title: string; readonly placeholder: string; readonly none: string },
  fits: (agent: Agent, state: State) => boolean,
  detail: (agent: Agent, state: State) => string | null = () => null,
): Promise<Chosen | null> {
  const given = agentArgument(desk, args[0]);
  if (given !== null) return given;
  const sessions = desk.sessions.open();
  const items = sessions.flatMap((session) => agentItems(desk, session, sessions.length > 1, fits, detail));
  if (items.length === 0) {
    await desk.asker.tell('info', question.none);
    return null;
  }
  return (await desk.asker.pick({ ...question, items })) ?? null;
}

function agentItems(
  desk: Desk,
  { id, state }: OpenSession,
  withTitle: boolean,
  fits: (agent: Agent, state: State) => boolean,
  detail: (agent: Agent, state: State) => string | null,
): PickItem<Chosen>[] {
  const agents = [...values(state.agents)].filter((agent) => fits(agent, state));
  return agents.map((agent) => {
    const doing = activitySentence(activityOf(state, agent, desk.around()), (at) =>
      clockTime(at, Date.now()),
    );
    const more = [detail(agent, state), withTitle ? titleOf(state) : null].filter((part) => part !== null);
    return {
      label: agent.name,
      description: doing,
      ...(more.length > 0 && { detail: more.join(' · ') }),
      value: { session: id, agent, state },
    };
  });
}

/** A row of the Agents view, or the same fields from code: `{session, agent}` with an agent's id. */
export function agentArgument(desk: Desk, arg: unknown): Chosen | null {
  if (typeof arg !== 'object' || arg === null || !('session' in arg) || !('agent' in arg)) return null;
  const node = arg as Extract<AgentsNode, { type: 'agent' }>;
  const state = desk.sessions.state(node.session);
  if (state === null) return null;
  for (const agent of values(state.agents)) {
    if (agent.id === node.agent) return { session: node.session, agent, state };
  }
  return null;
}

/** The session that a command is about: the row it was called on, the only one, or the one that is looked at. */
export function sessionArgument(desk: Desk, arg: unknown): SessionId | null {
  if (typeof arg === 'object' && arg !== null && 'session' in arg && typeof arg.session === 'string') {
    return arg.session as SessionId;
  }
  return desk.sessions.current ?? desk.sessions.open().at(0)?.id ?? null;
}

/** The session that a command is about: the row it was called on, the only one that fits, or one from a list. */
export async function chooseSession(
  desk: Desk,
  arg: unknown,
  question: { readonly title: string; readonly placeholder: string; readonly none: string },
  fits: (state: State) => boolean,
): Promise<SessionId | null> {
  if (typeof arg === 'object' && arg !== null && 'session' in arg) return sessionArgument(desk, arg);
  const sessions = desk.sessions.open().filter(({ state }) => fits(state));
  const [only, ...others] = sessions;
  if (only === undefined) {
    await desk.asker.tell('info', question.none);
    return null;
  }
  if (others.length === 0) return only.id;
  const items = sessions.map(({ id, state }) => ({ label: titleOf(state), value: id }));
  return (await desk.asker.pick({ ...question, items })) ?? null;
}

/** How many agents would stop together with this one. */
export function agentsUnder(state: State, agent: Agent): number {
  let count = 0;
  for (const other of values(state.agents)) {
    if (other.managerId === agent.id && other.left === null) count += 1 + agentsUnder(state, other);
  }
  return count;
}
