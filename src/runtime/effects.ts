import type { CallId } from '../shared/ids';
import { callOf } from '../shared/lookup';
import type { EffectIntent } from '../shared/state';
import type {
  Actor,
  Answer,
  CommandOutcome,
  CommandRequest,
  PlacedPath,
  PlannedChange,
} from '../workspace/port';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';
import type { EffectPort } from './toolPorts';

interface EffectParts {
  readonly runtime: SessionRuntime;
  readonly callId: CallId;
  readonly actor: Actor;
  readonly options: Pick<EngineOptions, 'workspace' | 'shell' | 'ledger'>;
  readonly signal: AbortSignal;
  readonly output: (chunk: string) => void;
}

/** Side effects of one call: the intent is durable before anything happens, the outcome is recorded after it. */
export function effectsOf(parts: EffectParts): EffectPort {
  return {
    write: (change) => write(parts, change),
    command: (request) => command(parts, request),
  };
}

async function write(parts: EffectParts, change: PlannedChange): Promise<Answer<PlacedPath>> {
  const { runtime } = parts;
  const { ledger, workspace } = parts.options;
  const before = change.before === null ? null : runtime.store.keepBytes(change.before).blob;
  const after = change.after === null ? null : runtime.store.keepBytes(change.after).blob;
  const path = change.path.shown;
  const { kind, beforeHash, afterHash } = change;
  const index = await intend(parts, { type: 'write', path, kind, before, after, beforeHash, afterHash });
  // Stopped while the intent was being written: nothing may be done any more.
  const done: Answer<PlacedPath> = parts.signal.aborted
    ? { ok: false, error: { code: 'io', path, why: 'stopped before it was written' } }
    : await workspace.apply(change, parts.actor);
  const counts = done.ok ? ledger.countLines(change.before, change.after) : null;
  runtime.dispatch({
    type: 'end_effect',
    callId: parts.callId,
    index,
    outcome: done.ok ? 'done' : 'not_done',
    change:
      counts === null
        ? null
        : { path, kind, before, after, beforeHash, afterHash, added: counts.added, removed: counts.removed },
  });
  await runtime.flushed();
  return done;
}

async function command(parts: EffectParts, request: CommandRequest): Promise<CommandOutcome> {
  let index: number | null = null;
  const outcome = await parts.options.shell.run(
    request,
    async (group) => {
      const { command, cwd } = request;
      index = await intend(parts, { type: 'command', command, cwd: cwd.shown, ...group });
    },
    parts.output,
    parts.signal,
  );
  if (index !== null) {
    const ended = endOf(outcome);
    parts.runtime.dispatch({ type: 'end_effect', callId: parts.callId, index, outcome: ended, change: null });
    await parts.runtime.flushed();
  }
  return outcome;
}

/** A command that was stopped in the middle did nobody knows how much. */
function endOf({ status, why }: CommandOutcome): 'done' | 'not_done' | 'unknown' {
  switch (status) {
    case 'exited':
    case 'timed_out':
      return 'done';
    case 'failed_to_start':
      return 'not_done';
    case 'stopped':
      // A reason is given only when it was stopped before it began.
      return why === undefined ? 'unknown' : 'not_done';
  }
}

/** Resolves, when the intent is durable, to its position among the call's effects. */
async function intend(parts: EffectParts, intent: EffectIntent): Promise<number> {
  const { runtime, callId } = parts;
  const decided = runtime.dispatch({ type: 'intend_effect', callId, intent });
  if (!decided.ok) throw new Error(`the call can't act any more (${decided.error.code})`);
  let index = -1;
  for (const event of decided.events)
    if (event.type === 'effect.intended') index = effectIndex(decided.state, callId);
  await decided.flushed;
  return index;
}

function effectIndex(state: SessionRuntime['state'], callId: CallId): number {
  return (callOf(state, callId)?.effects.length ?? 0) - 1;
}
