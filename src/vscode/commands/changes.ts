import type { UndoReport } from '../../runtime/engine';
import { agentsWithChanges, changedFiles } from '../changedFiles';
import { say } from '../texts';
import { agentArgument, type Chosen, chooseAgent } from './choose';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

const SHOWN = 15;

/** Undoes what a member changed, after a modal question that lists the files. */
export async function undoMember(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const chosen = await chooseAgent(
    desk,
    args,
    { title: say.undoTitle(), placeholder: say.whichUndo(), none: say.nothingToUndo() },
    (agent, state) => agentsWithChanges(state).includes(agent.id) && standing(agent.id, state).length > 0,
    (agent, state) => say.files(standing(agent.id, state).length),
  );
  if (chosen === null) return null;
  const paths = standing(chosen.agent.id, chosen.state);
  if (paths.length === 0) {
    await desk.asker.tell('info', say.nothingToUndo());
    return null;
  }
  const question = say.undoQuestion(chosen.agent.name, paths.length);
  const detail = say.undoDetail(paths.slice(0, SHOWN), paths.length - SHOWN);
  if (!(await desk.asker.confirm(question, detail, say.undoYes()))) return null;
  return undo(desk, chosen, null);
}

const standing = (agent: Chosen['agent']['id'], state: Chosen['state']): readonly string[] =>
  changedFiles(state, agent)
    .filter((file) => !file.undone)
    .map((file) => file.path);

/** Undoes an agent's changes of one file: the row it was called on, or `{session, agent, path}`. */
export async function undoFile(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const chosen = agentArgument(desk, args[0]);
  const path = pathOf(args[0]);
  if (chosen === null || path === null) return null;
  const question = say.undoFileQuestion(chosen.agent.name, path);
  if (!(await desk.asker.confirm(question, say.undoDetail([path], 0), say.undoYes()))) return null;
  return undo(desk, chosen, path);
}

/** Opens the native diff of what an agent did to a file. */
export async function openDiff(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = agentArgument(desk, args[0]);
  const path = pathOf(args[0]);
  if (chosen === null || path === null) return null;
  const opened = await desk.editor.openDiff(chosen.session, chosen.agent.id, path);
  if (!opened.ok) await desk.asker.tell('info', opened.error);
  return null;
}

const pathOf = (arg: unknown): string | null =>
  typeof arg === 'object' && arg !== null && 'path' in arg && typeof arg.path === 'string' ? arg.path : null;

async function undo(desk: Desk, chosen: Chosen, path: string | null): Promise<UndoReport> {
  const report = await demand(desk, await desk.engine().undo(chosen.session, { id: chosen.agent.id }, path));
  const words = [
    report.undone.length > 0 ? say.undone(chosen.agent.name, report.undone.length) : '',
    report.refused.length > 0 ? say.undoRefused(report.refused) : '',
  ];
  const kind = report.refused.length > 0 ? 'warning' : 'info';
  desk.asker
    .tell(kind, words.filter((part) => part !== '').join(' '))
    .catch((error: unknown) => desk.log.error('the undo could not be told', error));
  return report;
}
