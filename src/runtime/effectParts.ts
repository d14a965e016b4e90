import type { CallId } from '../shared/ids';
import { callOf } from '../shared/lookup';
import type { EffectIntent } from '../shared/state';
import type { Actor } from '../workspace/port';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';

/** What the side effects of one call need. */
export interface EffectParts {
  readonly runtime: SessionRuntime;
  readonly callId: CallId;
  readonly actor: Actor;
  readonly options: Pick<EngineOptions, 'workspace' | 'shell' | 'ledger' | 'attribution'>;
  readonly signal: AbortSignal;
  readonly output: (chunk: string) => void;
}

/** Resolves, when the intent is durable, to its position among the call's effects. */
export async function intend({ runtime, callId }: EffectParts, intent: EffectIntent): Promise<number> {
  const decided = runtime.dispatch({ type: 'intend_effect', callId, intent });
  if (!decided.ok) throw new Error(`the call can't act any more (${decided.error.code})`);
  const index = (callOf(decided.state, callId)?.effects.length ?? 0) - 1;
  await decided.flushed;
  return index;
}
