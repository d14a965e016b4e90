import { agentOf, openRuns } from '../../shared/lookup';
import type { Run, State } from '../../shared/state';
import { say } from '../texts';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

/** Turns that a restart interrupted. */
export const interruptedRuns = (state: State): readonly Run[] =>
  openRuns(state).filter((run) => run.phase.status === 'interrupted');

/** Names of the agents whose turns a restart interrupted. */
export function interruptedNames(state: State): readonly string[] {
  return interruptedRuns(state).map((run) => agentOf(state, run.agentId)?.name ?? run.agentId);
}

/** Lets interrupted work go on, or ends it; `go` from code, else the person is asked. */
export async function resume(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const sessions = desk.sessions.open().filter((session) => interruptedNames(session.state).length > 0);
  if (sessions.length === 0) {
    await desk.asker.tell('info', say.nothingInterrupted());
    return null;
  }
  const names = sessions.flatMap((session) => interruptedNames(session.state));
  const given = typeof args[0] === 'boolean' ? args[0] : undefined;
  const go = given ?? (await askGo(desk, names));
  if (go === undefined) return null;
  for (const session of sessions) await demand(desk, await desk.engine().resume(session.id, go, null));
  return null;
}

const askGo = (desk: Desk, names: readonly string[]): Promise<boolean | undefined> =>
  desk.asker.pick({
    title: say.resumeTitle(),
    placeholder: say.interrupted(names),
    items: [
      { label: say.resumeGo(names), icon: 'debug-continue', value: true },
      { label: say.resumeEnd(), icon: 'stop-circle', value: false },
    ],
  });
