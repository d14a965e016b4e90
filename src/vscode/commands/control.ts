import type { ModelId } from '../../shared/ids';
import { openRuns } from '../../shared/lookup';
import { retryable } from '../../shared/retry';
import type { Agent, Run, State } from '../../shared/state';
import type { OpenSession } from '../sessions';
import { say } from '../texts';
import { type Chosen, chooseAgent, sessionArgument } from './choose';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

/** The session that the command was called on, or all that are open. */
function meant(desk: Desk, args: readonly unknown[]): readonly OpenSession[] {
  const one = args[0] === undefined ? null : sessionArgument(desk, args[0]);
  return desk.sessions.open().filter((session) => one === null || session.id === one);
}

/** No agent begins another step; what goes on ends first. Answers how many sessions were paused. */
export async function pauseAll(desk: Desk, args: readonly unknown[]): Promise<number> {
  const going = meant(desk, args).filter(
    ({ state }) => state.session?.paused !== true && openRuns(state).length > 0,
  );
  if (going.length === 0) await desk.asker.tell('info', say.nobodyWorks());
  for (const { id } of going) await demand(desk, await desk.engine().pause(id, true));
  return going.length;
}

export async function continueAll(desk: Desk, args: readonly unknown[]): Promise<number> {
  if (!(await mayRun(desk))) return 0;
  const paused = meant(desk, args).filter(({ state }) => state.session?.paused === true);
  if (paused.length === 0) await desk.asker.tell('info', say.nothingPaused());
  for (const { id } of paused) await demand(desk, await desk.engine().pause(id, false));
  return paused.length;
}

const failedRun = (agent: Agent, state: State): Run | undefined =>
  retryable(state).find((run) => run.agentId === agent.id);

/** A turn that failed goes on; where there are several models, the person may choose another for it. */
export async function retry(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const chosen = await chooseAgent(
    desk,
    args,
    { title: say.retryTitle(), placeholder: say.whichAgentRetry(), none: say.nothingFailed() },
    (agent, state) => failedRun(agent, state) !== undefined,
  );
  if (chosen === null) return null;
  const run = failedRun(chosen.agent, chosen.state);
  if (run === undefined) {
    await desk.asker.tell('info', say.nothingFailed());
    return null;
  }
  const given = typeof args[1] === 'string' ? (args[1] as ModelId) : undefined;
  const model = given ?? (await askModel(desk, chosen));
  if (model === undefined) return null;
  await demand(desk, await desk.engine().retry(chosen.session, run.id, model));
  return null;
}

/** null: the one it has. */
async function askModel(desk: Desk, { agent }: Chosen): Promise<ModelId | null | undefined> {
  const entries = desk.models.entries();
  if (entries.length < 2 && entries[0]?.id === agent.model) return null;
  const id = await desk.asker.pick({
    title: say.retryTitle(),
    placeholder: say.retryModel(agent.name),
    items: entries.map((entry) => ({
      label: entry.label,
      ...(entry.id === agent.model && { description: say.retrySame(), picked: true }),
      icon: entry.id === agent.model ? 'check' : 'blank',
      value: entry.id as ModelId,
    })),
  });
  return id;
}

/** The lead hears of stops at once, not with the person's next words. */
export async function tellLead(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const untold = ({ state }: OpenSession) => state.open.notes.length > 0;
  const sessions = meant(desk, args).filter(untold);
  if (sessions.length === 0) await desk.asker.tell('info', say.nothingToTell());
  for (const { id } of sessions) await demand(desk, await desk.engine().tellLead(id));
  return null;
}
