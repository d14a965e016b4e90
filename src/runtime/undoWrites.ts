import { values } from '../base/table';
import type { UndoUnit, UndoWrite } from '../shared/undoRecord';
import type { PathProblem, WorkspacePort } from '../workspace/port';
import type { UndoWhy } from './engine';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';

export interface Written {
  readonly outcome: 'done' | 'not_done' | 'unknown';
  /** Why it was not done; null: it was. */
  readonly why: UndoWhy | null;
}

/** Content of a write, by the side that is wanted. */
type ReadSide = (write: UndoWrite, side: 'before' | 'after') => Promise<Uint8Array | null>;

/**
 * Writes what belongs together, each file only if it is still as it was planned on. If one can't be written those before
 * it are put back.
 */
export async function writeUnit(
  workspace: WorkspacePort,
  unit: Pick<UndoUnit, 'writes'>,
  read: ReadSide,
): Promise<Written> {
  const done: UndoWrite[] = [];
  for (const write of unit.writes) {
    const code = await put(workspace, write, 'after', read);
    if (code === null) {
      done.push(write);
      continue;
    }
    const isBack = await putBack(workspace, done, read);
    return isBack
      ? { outcome: 'not_done', why: { code } }
      : { outcome: 'unknown', why: { code: 'half_done' } };
  }
  return { outcome: 'done', why: null };
}

async function putBack(
  workspace: WorkspacePort,
  done: readonly UndoWrite[],
  read: ReadSide,
): Promise<boolean> {
  let isBack = true;
  for (const write of done.toReversed())
    if ((await put(workspace, write, 'before', read)) !== null) isBack = false;
  return isBack;
}

/** null: written; else why not. Never over another content than that of the other side. */
async function put(
  workspace: WorkspacePort,
  write: UndoWrite,
  side: 'before' | 'after',
  read: ReadSide,
): Promise<PathProblem['code'] | null> {
  const placed = await workspace.place(write.path);
  if (!placed.ok) return placed.error.code;
  const expected = side === 'after' ? write.beforeHash : write.afterHash;
  const mode = write.mode?.[side] ?? null;
  const done = await workspace.restore(placed.value, await read(write, side), expected, mode);
  return done.ok ? null : done.error.code;
}

/** Contents from the session's store. */
export const readerOf =
  (runtime: SessionRuntime): ReadSide =>
  async (write, side) => {
    const blob = write[side];
    return blob === null ? null : runtime.store.readBytes(blob);
  };

/**
 * After a crash: each file tells by its content whether it was written. What was begun and not ended as a whole is
 * brought to its end, file by file and only where nothing else has been written since; what was not begun is left.
 * @returns paths of which nobody can tell
 */
export async function settleUndos(
  runtime: SessionRuntime,
  { workspace }: Pick<EngineOptions, 'workspace'>,
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const undo of values(runtime.state.undos)) {
    for (const [index, unit] of undo.units.entries()) {
      if (unit.phase !== 'open') continue;
      const outcome = await settle(runtime, workspace, unit);
      if (outcome === 'unknown') unknown.push(unit.path);
      runtime.dispatch({ type: 'end_undo', undo: undo.id, unit: index, outcome });
    }
  }
  return unknown;
}

async function settle(
  runtime: SessionRuntime,
  workspace: WorkspacePort,
  unit: UndoUnit,
): Promise<Written['outcome']> {
  const found = await Promise.all(unit.writes.map((write) => sideNow(workspace, write)));
  if (found.some((side) => side === null)) return 'unknown';
  if (found.every((side) => side === 'after')) return 'done';
  if (found.every((side) => side === 'before')) return 'not_done';
  const left = unit.writes.filter((_, index) => found[index] === 'before');
  const written = await writeUnit(workspace, { writes: left }, readerOf(runtime));
  return written.outcome === 'done' ? 'done' : 'unknown';
}

/** Which of its two contents a file has; null: neither, or it can't be read. */
async function sideNow(workspace: WorkspacePort, write: UndoWrite): Promise<'before' | 'after' | null> {
  const placed = await workspace.place(write.path);
  if (!placed.ok) return null;
  const seen = await workspace.peek(placed.value);
  if (!seen.ok) return null;
  const { hash, mode } = seen.value ?? { hash: null, mode: null };
  const changesMode = write.mode?.before != null && write.mode.after != null;
  const isAt = (side: 'before' | 'after') =>
    hash === write[`${side}Hash`] && (!changesMode || mode === write.mode?.[side]);
  return isAt('after') ? 'after' : isAt('before') ? 'before' : null;
}
