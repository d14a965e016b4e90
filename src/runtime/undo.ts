import type { Result } from '../base/result';
import { values } from '../base/table';
import { agentNamed } from '../shared/lookup';
import type { Change, State } from '../shared/state';
import type { EngineProblem, UndoReport } from './engine';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';

/**
 * Undoes what an agent changed, newest change first, one file after another: each change is taken out of the file's
 * present content by a three-way merge, so that what others did since stays. A file where that can't be done without
 * guessing is refused as a whole and named, with the reason.
 */
export async function undoChanges(
  runtime: SessionRuntime,
  options: EngineOptions,
  agentName: string,
  path: string | null,
): Promise<Result<UndoReport, EngineProblem>> {
  const undone: string[] = [];
  const refused: { path: string; why: string }[] = [];
  for (const [file, changes] of changesByFile(runtime.state, agentName, path)) {
    const why = await undoFile(runtime, options, file, changes);
    if (why === null) undone.push(file);
    else refused.push({ path: file, why });
  }
  await runtime.flushed();
  const report: UndoReport = { undone, refused };
  if (refused.length > 0 && undone.length === 0) return { ok: false, error: { code: 'conflict', report } };
  return { ok: true, value: report };
}

/** The agent's changes that are still in place, newest first, by file. A name that was used twice means all its bearers. */
function changesByFile(state: State, agentName: string, path: string | null): Map<string, Change[]> {
  const bearers = new Set(
    [...values(state.agents)].filter((agent) => agent.name === agentName).map((agent) => agent.id),
  );
  const current = agentNamed(state, agentName);
  const mine = (change: Change) =>
    current === undefined ? bearers.has(change.agentId) : change.agentId === current.id;
  const files = new Map<string, Change[]>();
  for (const change of [...values(state.changes)].reverse()) {
    if (change.undone !== null || !mine(change) || (path !== null && change.path !== path)) continue;
    const list = files.get(change.path);
    if (list === undefined) files.set(change.path, [change]);
    else list.push(change);
  }
  return files;
}

/** null: done; else why not. Nothing of the file is changed unless all of its changes can be taken out. */
async function undoFile(
  runtime: SessionRuntime,
  options: EngineOptions,
  file: string,
  changes: readonly Change[],
): Promise<string | null> {
  const placed = await options.workspace.place(file);
  if (!placed.ok) return placed.error.code;
  const now = await options.workspace.peek(placed.value);
  if (!now.ok) return now.error.code;
  let content: Uint8Array | null = now.value?.bytes ?? null;
  for (const change of changes) {
    const before = change.before === null ? null : await runtime.store.readBytes(change.before);
    const after = change.after === null ? null : await runtime.store.readBytes(change.after);
    const merged = options.ledger.withoutChange(before, after, content);
    if (!merged.ok) return merged.error;
    content = merged.value;
  }
  const restored = await options.workspace.restore(placed.value, content, now.value?.hash ?? null);
  if (!restored.ok) return restored.error.code;
  runtime.dispatch({ type: 'undo', changes: changes.map((change) => change.id), by: { type: 'person' } });
  return null;
}
