import type { Result } from '../base/result';
import { values } from '../base/table';
import { agentNamed, agentOf } from '../shared/lookup';
import type { Change, State } from '../shared/state';
import type { EngineProblem, UndoBy, UndoReport } from './engine';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';

/**
 * Undoes what an agent changed, one file after another, by a three-way merge, so that what others did since stays.
 * A file where that can't be done without guessing is refused as a whole and named, with the reason.
 * @param path one file; null: all of the agent's
 */
export async function undoChanges(
  runtime: SessionRuntime,
  options: EngineOptions,
  by: UndoBy,
  path: string | null,
): Promise<Result<UndoReport, EngineProblem>> {
  const undone: string[] = [];
  const refused: { path: string; why: string }[] = [];
  for (const [file, changes] of changesByFile(runtime.state, by, path)) {
    const why = await undoFile(runtime, options, file, changes);
    if (why === null) undone.push(file);
    else refused.push({ path: file, why });
  }
  await runtime.flushed();
  const report: UndoReport = { undone, refused };
  if (refused.length > 0 && undone.length === 0) return { ok: false, error: { code: 'conflict', report } };
  return { ok: true, value: report };
}

/** The agent's changes that are still in place, by file. A name that nobody bears now means all who bore it. */
function changesByFile(state: State, by: UndoBy, path: string | null): Map<string, Change[]> {
  const id = typeof by === 'string' ? agentNamed(state, by)?.id : by.id;
  const isBearer = (change: Change) =>
    id === undefined ? agentOf(state, change.agentId)?.name === by : change.agentId === id;
  const files = new Map<string, Change[]>();
  for (const change of values(state.changes)) {
    if (change.undone !== null || !isBearer(change) || (path !== null && change.path !== path)) continue;
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
  mine: readonly Change[],
): Promise<string | null> {
  const placed = await options.workspace.place(file);
  if (!placed.ok) return placed.error.code;
  const now = await options.workspace.peek(placed.value);
  if (!now.ok) return now.error.code;
  let content: Uint8Array | null = now.value?.bytes ?? null;
  for (const change of mine.toReversed()) {
    const before = change.before === null ? null : await runtime.store.readBytes(change.before);
    const after = change.after === null ? null : await runtime.store.readBytes(change.after);
    const merged = options.ledger.withoutChange(before, after, content);
    if (!merged.ok)
      return refusal(merged.error, changedSince(runtime.state, file, mine, now.value?.hash ?? null));
    content = merged.value;
  }
  const restored = await options.workspace.restore(placed.value, content, now.value?.hash ?? null);
  if (!restored.ok) return restored.error.code;
  runtime.dispatch({ type: 'undo', changes: mine.map((change) => change.id), by: { type: 'person' } });
  return null;
}

const refusal = (why: 'conflict' | 'binary', by: readonly string[]): string =>
  by.length === 0 ? why : `${why}: changed since by ${by.join(', ')}`;

/** Who changed the file after the first of these changes; somebody outside the team if its content is nobody's. */
function changedSince(
  state: State,
  file: string,
  mine: readonly Change[],
  hash: string | null,
): readonly string[] {
  const names = new Set<string>();
  const first = mine[0];
  let last: string | null = null;
  for (const change of values(state.changes)) {
    if (change.path !== file || change.undone !== null) continue;
    last = change.afterHash;
    if (mine.includes(change) || (first !== undefined && change.at < first.at)) continue;
    names.add(agentOf(state, change.agentId)?.name ?? change.agentId);
  }
  if (last !== hash) names.add('you or something outside');
  return [...names];
}
