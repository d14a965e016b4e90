import type { EffectIntent } from '../shared/state';
import type { RunCommand } from '../team/commands';
import type {
  Answer,
  PathProblem,
  PlacedPath,
  PlannedChange,
  PlannedFolder,
  PlannedMove,
  PlannedRemoval,
} from '../workspace/port';
import { type EffectParts, intend } from './effectParts';
import type { EffectPort, WrittenFiles } from './toolPorts';

/** Changes of files and folders: every intent of a call is durable before the first of them happens. */
export function fileEffects(parts: EffectParts): Omit<EffectPort, 'command'> {
  return {
    write: (change) => write(parts, change),
    writeAll: (changes) => writeAll(parts, changes),
    makeFolder: (folder) => makeFolder(parts, folder),
    remove: (removal) => remove(parts, removal),
    move: (move) => moveAll(parts, move),
  };
}

async function write(parts: EffectParts, change: PlannedChange): Promise<Answer<PlacedPath>> {
  const { problem } = await writeAll(parts, [change]);
  return problem === null ? { ok: true, value: change.path } : { ok: false, error: problem };
}

async function writeAll(
  parts: EffectParts,
  changes: readonly PlannedChange[],
  more: readonly EffectIntent[] = [],
  last: () => Promise<Answer<null>> = nothing,
): Promise<WrittenFiles> {
  const writes = changes.map((change) => intentOf(parts, change));
  const indexes = await Promise.all([...writes, ...more].map((intent) => intend(parts, intent)));
  const done: PlannedChange[] = [];
  let problem: PathProblem | null = null;
  for (const [i, change] of changes.entries()) {
    // Stopped meanwhile: nothing may be done any more.
    problem ??= parts.signal.aborted ? stoppedBefore(change.path.shown) : null;
    if (problem === null) {
      const written = await parts.options.workspace.apply(change, parts.actor);
      if (written.ok) done.push(change);
      else problem = written.error;
    }
    endWrite(parts, indexes[i], writes[i], change, problem === null);
  }
  if (problem === null) {
    const ended = await last();
    problem = ended.ok ? null : ended.error;
  }
  for (const index of indexes.slice(changes.length)) endFolder(parts, index, problem === null);
  await parts.runtime.flushed();
  return { done, problem, left: changes.slice(done.length) };
}

const nothing = (): Promise<Answer<null>> => Promise.resolve({ ok: true, value: null });

const stoppedBefore = (path: string): PathProblem => ({
  code: 'io',
  path,
  why: 'stopped before it was written',
});

function remove(parts: EffectParts, removal: PlannedRemoval): Promise<WrittenFiles> {
  const { trees } = parts.options.workspace;
  if (removal.what === 'file') return writeAll(parts, removal.changes);
  const intent: EffectIntent = { type: 'folder', path: removal.path.shown, act: 'remove' };
  return writeAll(parts, removal.changes, [intent], () => trees.removeFolders(removal));
}

async function makeFolder(parts: EffectParts, { path }: PlannedFolder): Promise<Answer<null>> {
  const index = await intend(parts, { type: 'folder', path: path.shown, act: 'make' });
  const made: Answer<null> = parts.signal.aborted
    ? { ok: false, error: stoppedBefore(path.shown) }
    : await parts.options.workspace.trees.makeFolder(path);
  endFolder(parts, index, made.ok);
  await parts.runtime.flushed();
  return made;
}

/** One act for all files: either all of them have moved or none. */
async function moveAll(parts: EffectParts, move: PlannedMove): Promise<Answer<null>> {
  const writes = move.changes.map((change) => intentOf(parts, change));
  const folder = { type: 'folder', path: move.to.shown, act: 'make' } as const;
  const intents = move.what === 'folder' ? [...writes, folder] : writes;
  const indexes = await Promise.all(intents.map((intent) => intend(parts, intent)));
  const moved: Answer<null> = parts.signal.aborted
    ? { ok: false, error: stoppedBefore(move.from.shown) }
    : await parts.options.workspace.trees.move(move, parts.actor);
  for (const [i, index] of indexes.entries()) {
    const intent = writes[i];
    if (intent === undefined) endFolder(parts, index, moved.ok);
    else endEffect(parts, index, moved.ok, moved.ok ? renameOf(intent, writes[i + 1]) : null);
  }
  await parts.runtime.flushed();
  return moved;
}

/** A file that comes into being at its new place is followed by the same file that goes away; both are one change. */
function renameOf(intent: WriteIntent, next: WriteIntent | undefined): MadeChange | null {
  if (intent.kind !== 'create' || next === undefined) return null;
  const { path, after, afterHash } = intent;
  const content = { before: after, after, beforeHash: afterHash, afterHash };
  return { path, kind: 'rename', from: next.path, ...content, added: 0, removed: 0 };
}

type MadeChange = NonNullable<Extract<RunCommand, { type: 'end_effect' }>['change']>;
type WriteIntent = Extract<EffectIntent, { type: 'write' }>;

function intentOf({ runtime }: EffectParts, change: PlannedChange): WriteIntent {
  const { kind, beforeHash, afterHash } = change;
  const before = change.before === null ? null : runtime.store.keepBytes(change.before).blob;
  const after = change.after === null ? null : runtime.store.keepBytes(change.after).blob;
  return { type: 'write', path: change.path.shown, kind, before, after, beforeHash, afterHash };
}

function endWrite(
  parts: EffectParts,
  index: number | undefined,
  intent: WriteIntent | undefined,
  change: PlannedChange,
  done: boolean,
): void {
  if (index === undefined || intent === undefined) return;
  const { type: _type, ...written } = intent;
  const counts = done ? parts.options.ledger.countLines(change.before, change.after) : null;
  endEffect(parts, index, done, counts === null ? null : { ...written, ...counts, ...bitsOf(change) });
}

/** A file that is gone comes back with its permission bits. */
const bitsOf = ({ kind, mode }: PlannedChange): Pick<MadeChange, 'mode'> =>
  kind === 'delete' && mode !== undefined ? { mode: { before: mode, after: mode } } : {};

function endFolder(parts: EffectParts, index: number | undefined, done: boolean): void {
  if (index !== undefined) endEffect(parts, index, done, null);
}

function endEffect(
  { runtime, callId }: EffectParts,
  index: number,
  done: boolean,
  change: MadeChange | null,
): void {
  const outcome = done ? 'done' : 'not_done';
  runtime.dispatch({ type: 'end_effect', callId, index, outcome, change });
}
