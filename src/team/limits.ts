import { values } from '../base/table';
import type { RunId } from '../shared/ids';
import { runOf } from '../shared/lookup';
import type { State } from '../shared/state';
import type { Facts } from './commands';

/** What the next model call would cost. */
export interface Estimate {
  readonly tokens: number;
  readonly microUsd: number;
}

export type LimitVerdict =
  | { readonly type: 'go' }
  /** A run's own steps and time end it. */
  | { readonly type: 'end'; readonly reason: 'steps' | 'budget'; readonly detail: string }
  /** The session's tokens and money are the person's to decide: the run is parked meanwhile. */
  | {
      readonly type: 'ask';
      readonly limit: 'tokens' | 'money';
      readonly used: number;
      readonly allowed: number;
    };

const MS_PER_MINUTE = 60_000;

/** Checked before each model call, with the cost of that request. A limit of null is none, set so by the person. */
export function limitCheck(
  state: State,
  runId: RunId,
  estimate: Estimate,
  facts: Pick<Facts, 'now'>,
): LimitVerdict {
  const run = runOf(state, runId);
  const limits = state.session?.settings.limits;
  if (run === undefined || limits === undefined) return { type: 'go' };
  if (limits.steps !== null && run.steps >= limits.steps) {
    return { type: 'end', reason: 'steps', detail: `limit of ${limits.steps} steps` };
  }
  const going = run.phase.status === 'running' ? Math.max(0, facts.now - run.phase.since) : 0;
  if (limits.activeMs !== null && run.activeMs + going >= limits.activeMs) {
    const minutes = Math.round((limits.activeMs / MS_PER_MINUTE) * 10) / 10;
    return {
      type: 'end',
      reason: 'budget',
      detail: `limit of ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of active time`,
    };
  }
  const { tokens, microUsd } = used(state);
  if (limits.tokens !== null && tokens + estimate.tokens > limits.tokens) {
    return { type: 'ask', limit: 'tokens', used: tokens, allowed: limits.tokens };
  }
  if (limits.microUsd !== null && microUsd + estimate.microUsd > limits.microUsd) {
    return { type: 'ask', limit: 'money', used: microUsd, allowed: limits.microUsd };
  }
  return { type: 'go' };
}

/** What the session has used, agents that left included. Money counts where prices are known. */
export function used(state: State): Estimate {
  let tokens = 0;
  let microUsd = 0;
  for (const { usage } of values(state.agents)) {
    tokens += usage.inputTokens + usage.outputTokens;
    microUsd += usage.microUsd ?? 0;
  }
  return { tokens, microUsd };
}
