import type { CallId } from '../shared/ids';
import type { Change } from '../shared/state';
import type { CommandWatch, FoundChange } from '../workspace/attributionPort';
import type { Actor, CommandOutcome, CommandRequest } from '../workspace/port';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';
import { changesUnknown } from './wording';

interface Parts {
  readonly runtime: SessionRuntime;
  readonly callId: CallId;
  readonly actor: Actor;
  readonly options: Pick<EngineOptions, 'attribution' | 'workspace'>;
  /** Not after the session has been given to another window. */
  readonly mayRecord?: () => boolean;
}

type Line = Pick<CommandRequest, 'command' | 'cwd'>;

/** Contents of one decision, bytes together, and changes of one: keeping them holds the host up. */
const SLICE_BYTES = 2_000_000;
const SLICE_CHANGES = 200;

/**
 * Watches what a command changes and records it as its agent's. A reading command isn't watched. Call `end` when the
 * command has ended, before its outcome is recorded. After a crash nothing is recorded, and the command is told as one of
 * which nobody knows how far it got: what was there before it died with the host.
 */
export async function watchCommand(parts: Parts, { command, cwd }: Line): Promise<CommandWatch> {
  const { attribution, workspace } = parts.options;
  if ((await workspace.inspect(command, cwd)).reading) return unwatched;
  return attribution.begin(parts.actor, async (changes) => {
    if (parts.runtime.failure === null && parts.mayRecord?.() !== false) await record(parts, changes);
  });
}

/** Runs a command to its end and records what it changed; the model is told where that isn't known. */
export async function watched(
  parts: Parts,
  line: Line,
  run: () => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const watch = await watchCommand(parts, line);
  let outcome: CommandOutcome;
  try {
    outcome = await run();
  } catch (error) {
    await watch.end();
    throw error;
  }
  const isKnown = await watch.end();
  return isKnown ? outcome : { ...outcome, output: `${outcome.output}${changesUnknown}` };
}

const unwatched: CommandWatch = { end: () => Promise.resolve(true) };

async function record(parts: Parts, changes: readonly FoundChange[]): Promise<void> {
  const { runtime, callId } = parts;
  for (let at = 0; at < changes.length; ) {
    const kept: Kept[] = [];
    for (let bytes = 0; at < changes.length && kept.length < SLICE_CHANGES && bytes < SLICE_BYTES; at++) {
      const change = changes[at];
      if (change === undefined) break;
      bytes += (change.before?.length ?? 0) + (change.after?.length ?? 0);
      kept.push(keep(runtime, change));
    }
    const recorded = runtime.dispatch({ type: 'record_changes', callId, changes: kept });
    if (!recorded.ok) throw new Error(`changes were not recorded (${recorded.error.code})`);
    await recorded.flushed;
  }
  for (const change of changes) await noteWriter(parts, change);
}

/** Who wants to write such a file next without having read it again is told who changed it. */
async function noteWriter({ options, actor }: Parts, { path, from, afterHash }: FoundChange): Promise<void> {
  const placed = await options.workspace.place(path);
  if (placed.ok) options.workspace.noteCommand(placed.value, actor, afterHash);
  const left = from === undefined ? null : await options.workspace.place(from);
  if (left?.ok === true) options.workspace.noteCommand(left.value, actor, null);
}

type Kept = Omit<Change, 'id' | 'at' | 'undone' | 'agentId' | 'runId' | 'callId'>;

function keep({ store }: SessionRuntime, { before, after, ...rest }: FoundChange): Kept {
  return {
    ...rest,
    before: before === null ? null : store.keepBytes(before).blob,
    after: after === null ? null : store.keepBytes(after).blob,
    by: 'command',
  };
}
