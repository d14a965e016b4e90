import type { UndoReport, UndoWhat } from '../../runtime/engine';
import type { SessionId, UndoId } from '../../shared/ids';
import { undoOf } from '../../shared/lookup';
import type { State } from '../../shared/state';
import { lastUndo, standingUnits } from '../../shared/undos';
import { agentsWithChanges, changedFiles } from '../changedFiles';
import { titleOf } from '../sessions';
import { say } from '../texts';
import { agentArgument, type Chosen, chooseAgent, chooseSession } from './choose';
import type { Desk } from './desk';
import { chooseHunk } from './hunks';
import { demand, mayRun } from './outcome';

const SHOWN = 15;

/** Undoes what a member changed, after a modal question that lists the files. */
export async function undoMember(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const title = say.undoTitle();
  const chosen = await chooseChanger(desk, args, title);
  if (chosen === null) return null;
  const paths = standing(chosen.agent.id, chosen.state);
  if (paths.length === 0) {
    await desk.asker.tell('info', say.nothingToUndo());
    return null;
  }
  const question = say.undoQuestion(chosen.agent.name, paths.length);
  if (!(await confirm(desk, question, paths))) return null;
  const what = { type: 'member', agent: { id: chosen.agent.id } } as const;
  return undo(desk, chosen.session, what, (count) => say.undone(chosen.agent.name, count));
}

/** Undoes what all agents of a task changed, after a modal question that lists the files. */
export async function undoTask(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const none = say.nothingToUndo();
  const session = await chooseSession(
    desk,
    args[0],
    { title: say.undoTitle(), placeholder: say.whichUndo(), none },
    (state) => allStanding(state).length > 0,
  );
  const state = session === null ? null : desk.sessions.state(session);
  if (session === null || state === null) return null;
  const paths = allStanding(state);
  if (paths.length === 0) {
    await desk.asker.tell('info', none);
    return null;
  }
  if (!(await confirm(desk, say.undoTaskQuestion(titleOf(state), paths.length), paths))) return null;
  return undo(desk, session, { type: 'task' }, say.undoneTask);
}

/** Undoes an agent's changes of one file: the row it was called on, or `{session, agent, path}`. */
export async function undoFile(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const chosen = agentArgument(desk, args[0]);
  const path = textIn(args[0], 'path');
  if (chosen === null || path === null) return null;
  if (!(await confirm(desk, say.undoFileQuestion(chosen.agent.name, path), [path]))) return null;
  const what = { type: 'file', agent: { id: chosen.agent.id }, path } as const;
  return undo(desk, chosen.session, what, (count) => say.undone(chosen.agent.name, count));
}

/** Undoes one place of a file: `{session, agent, path, hunk}`, or chosen from lists. */
export async function undoHunk(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const chosen = await chooseChanger(desk, args, say.undoHunkTitle());
  if (chosen === null) return null;
  const path = textIn(args[0], 'path') ?? (await chooseFile(desk, chosen));
  if (path === undefined) return null;
  const hunk = textIn(args[0], 'hunk') ?? (await chooseHunk(desk, chosen, path));
  if (hunk === null) return null;
  const what = { type: 'hunk', agent: { id: chosen.agent.id }, path, hunk } as const;
  return undo(desk, chosen.session, what, () => say.undoneHunk(chosen.agent.name, path));
}

const chooseFile = (desk: Desk, { agent, state }: Chosen): Promise<string | undefined> =>
  desk.asker.pick({
    title: say.undoHunkTitle(),
    placeholder: say.whichFile(),
    items: standing(agent.id, state).map((path) => ({ label: path, value: path })),
  });

/** Undoes an undo: `{session, undo}`, or the newest one of the task. */
export async function redo(desk: Desk, args: readonly unknown[]): Promise<UndoReport | null> {
  if (!(await mayRun(desk))) return null;
  const none = say.noRedo();
  const title = say.undoUndo();
  const session = await chooseSession(
    desk,
    args[0],
    { title, placeholder: title, none },
    (state) => lastUndo(state) !== null,
  );
  const state = session === null ? null : desk.sessions.state(session);
  if (session === null || state === null) return null;
  const given = textIn(args[0], 'undo');
  const chosen = given === null ? lastUndo(state) : (undoOf(state, given as UndoId) ?? null);
  const paths = chosen === null ? [] : standingUnits(state, chosen).map(({ unit }) => unit.path);
  if (chosen === null || paths.length === 0) {
    await desk.asker.tell('info', none);
    return null;
  }
  return undo(desk, session, { type: 'undo', undo: chosen.id }, say.redone);
}

/** Opens the native diff of what an agent did to a file. */
export async function openDiff(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = agentArgument(desk, args[0]);
  const path = textIn(args[0], 'path');
  if (chosen === null || path === null) return null;
  const opened = await desk.editor.openDiff(chosen.session, chosen.agent.id, path);
  if (!opened.ok) await desk.asker.tell('info', opened.error);
  return null;
}

/** Opens everything an agent changed in one editor. */
export async function openAllDiffs(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = await chooseChanger(desk, args, say.diffAllTitle());
  if (chosen === null) return null;
  const opened = await desk.editor.openAllDiffs(chosen.session, chosen.agent.id);
  if (!opened.ok) await desk.asker.tell('info', opened.error);
  return null;
}

const chooseChanger = (desk: Desk, args: readonly unknown[], title: string): Promise<Chosen | null> =>
  chooseAgent(
    desk,
    args,
    { title, placeholder: say.whichUndo(), none: say.nothingToUndo() },
    (agent, state) => standing(agent.id, state).length > 0,
    (agent, state) => say.files(standing(agent.id, state).length),
  );

const standing = (agent: Chosen['agent']['id'], state: State): readonly string[] =>
  changedFiles(state, agent)
    .filter((file) => !file.undone)
    .map((file) => file.path);

const allStanding = (state: State): readonly string[] => [
  ...new Set(agentsWithChanges(state).flatMap((agent) => standing(agent, state))),
];

const confirm = (desk: Desk, question: string, paths: readonly string[]): Promise<boolean> =>
  desk.asker.confirm(question, say.undoDetail(paths.slice(0, SHOWN), paths.length - SHOWN), say.undoYes());

function textIn(arg: unknown, key: string): string | null {
  if (typeof arg !== 'object' || arg === null) return null;
  const value: unknown = (arg as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : null;
}

async function undo(
  desk: Desk,
  session: SessionId,
  what: UndoWhat,
  done: (count: number) => string,
): Promise<UndoReport> {
  const report = await demand(desk, await desk.engine().undo(session, what));
  tellReport(desk, session, report, done).catch((error: unknown) =>
    desk.log.error('the undo could not be told', error),
  );
  return report;
}

/** What was undone, what was not and why; and the way back. */
async function tellReport(
  desk: Desk,
  session: SessionId,
  { id, undone, refused }: UndoReport,
  done: (count: number) => string,
): Promise<void> {
  const words = [
    undone.length > 0 ? done(undone.length) : '',
    refused.length > 0 ? say.undoRefused(refused) : '',
  ].filter((part) => part !== '');
  const text = words.length === 0 ? say.nothingToUndo() : words.join(' ');
  const kind = refused.length > 0 ? 'warning' : 'info';
  if (id === null) await desk.asker.tell(kind, text);
  else if ((await desk.asker.tell(kind, text, say.undoUndo())) === say.undoUndo())
    await desk.editor.run('teamroom.redo', { session, undo: id });
}
