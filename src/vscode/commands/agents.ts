import { openJobs, openRuns } from '../../shared/lookup';
import type { Agent, State } from '../../shared/state';
import { error } from '../asker';
import { say } from '../texts';
import { agentArgument, agentsUnder, chooseAgent, sessionArgument } from './choose';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

/** Writes to an agent; called on a row, the Room's composer is opened for it instead. */
export async function messageAgent(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const chosen = await chooseAgent(
    desk,
    args,
    { title: say.messageTitle(), placeholder: say.whichAgentMessage(), none: say.noTeam() },
    (agent) => agent.left === null && agent.kind !== 'helper',
  );
  if (chosen === null) return null;
  const given = typeof args[1] === 'string' ? args[1] : undefined;
  const text = given ?? (await askText(desk, chosen.agent.name));
  if (text === undefined) return null;
  await demand(desk, await desk.engine().send(chosen.session, addressOf(chosen.agent), text));
  return null;
}

const askText = (desk: Desk, name: string): Promise<string | undefined> =>
  desk.asker.input({
    title: say.messageTitle(),
    prompt: say.messageTo(name),
    check: (value) => (value.trim() === '' ? error(say.notEmpty()) : null),
  });

const addressOf = (agent: Agent): string | null => (agent.kind === 'lead' ? null : agent.name);

/** Stops an agent and those under it; the lead: its turn only. */
export async function stopAgent(desk: Desk, args: readonly unknown[]): Promise<readonly string[]> {
  const chosen = await chooseAgent(
    desk,
    args,
    { title: say.stopTitle(), placeholder: say.whichAgentStop(), none: say.nobodyWorks() },
    mayStop,
    whatStops,
  );
  if (chosen === null) return [];
  return demand(desk, await desk.engine().stop(chosen.session, chosen.agent.name));
}

function mayStop(agent: Agent, state: State): boolean {
  if (agent.left !== null) return false;
  if (agent.kind === 'member') return true;
  return [...openRuns(state), ...openJobs(state)].some((each) => each.agentId === agent.id);
}

function whatStops(agent: Agent, state: State): string | null {
  if (agent.kind === 'lead') return say.stopLead();
  const under = agentsUnder(state, agent);
  return under > 0 ? say.stopWithUnder(under) : null;
}

/** Stops everything in a session, or, from the palette, in all of them. Asks first only where much would be lost. */
export async function stopAll(desk: Desk, args: readonly unknown[]): Promise<readonly string[]> {
  const one = agentlessSession(desk, args);
  const sessions = desk.sessions.open().filter((session) => one === null || session.id === one);
  const busy = sessions.filter(({ state }) => openRuns(state).length > 0 || openJobs(state).length > 0);
  if (busy.length === 0) {
    await desk.asker.tell('info', say.nobodyWorks());
    return [];
  }
  const stopped: string[] = [];
  for (const session of busy) {
    stopped.push(...(await demand(desk, await desk.engine().stop(session.id, 'all'))));
  }
  // From the palette it reaches tasks that nobody looks at.
  if (one === null && busy.length > 1)
    desk.asker
      .tell('info', say.stoppedAll(stopped.length, busy.length))
      .catch((cause: unknown) => desk.log.error('what was stopped could not be told', cause));
  return stopped;
}

/** Stop on a row of the tree: an agent with those under it, or all of a task. */
export function stopRow(desk: Desk, args: readonly unknown[]): Promise<readonly string[]> {
  return agentArgument(desk, args[0]) === null ? stopAll(desk, args) : stopAgent(desk, args);
}

const agentlessSession = (desk: Desk, args: readonly unknown[]) =>
  args[0] === undefined ? null : sessionArgument(desk, args[0]);

/** Shows an agent's rows in the Room. */
export async function openInRoom(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = agentArgument(desk, args[0]);
  const session = chosen?.session ?? sessionArgument(desk, args[0]);
  if (session !== null && session !== desk.sessions.current) {
    await demand(desk, await desk.sessions.look(session));
  }
  await desk.editor.showRoom(chosen?.agent.id ?? null, false);
  return null;
}
