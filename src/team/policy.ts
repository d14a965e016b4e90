import type { ParkedOn, Style } from '../shared/state';

/**
 * A style is a record of these policies, a façade of tools and its prompt texts; it holds no state and starts
 * nothing. One field per row of the policy table in the rules; every one is read somewhere in `src/team`,
 * `src/runtime` or `src/styles`, never `style === …`.
 */
export interface Policy {
  readonly style: Style;
  /** X1: when a name may be used again. */
  readonly names: 'never' | 'after_leave' | 'platform';
  /** X2 */
  readonly start: 'after_turn' | 'now' | 'on_mail' | 'inline';
  /** X3; null: an idle agent is never woken by mail. */
  readonly wake: 'after_sender_turn' | 'now' | 'on_mail' | null;
  /** X4 */
  readonly leaderWork: 'free' | 'refuse_by_risk' | 'delegate_only';
  readonly toolList: 'fixed' | 'filtered' | 'per_turn';
  /** X5 */
  readonly deliverBy: 'complete' | 'final_reply';
  readonly sink: 'inbox' | 'store' | 'tool_result' | 'user' | 'user_with_notice';
  /** X12 */
  readonly processedAt: 'run_end' | 'outcome';
  /** X15 */
  readonly wakeContext: 'rebuilt' | 'intact' | 'fresh' | 'thread';
  /** X9: suspended calls whose run gives its slot back. One that waits for the person keeps it in every style. */
  readonly givesSlotBack: readonly Extract<ParkedOn, 'collect' | 'delegate' | 'helper'>[];
  /** X18 */
  readonly topology: 'mesh' | 'star';
  readonly broadcast: boolean;
  /** X19 */
  readonly visibility: 'inbox' | 'subtree' | 'all' | 'thread' | 'own_delegation';
  /** X20: levels of agents under the lead; null: any. */
  readonly depth: number | null;
  /** X25 */
  readonly dependencies: boolean;
  /** X7: calls of the status tool per run; null: any. */
  readonly statusPerRun: number | null;
  /** X21: whether {min,max} under a cap bounds the team. */
  readonly size: 'bounded' | null;
  /** X21, X22: runs started per session; null: counted, not limited. */
  readonly invocations: number | null;
  /** X24: execution errors per session. */
  readonly errors: number | null;
  /** X23: identical calls in one run are answered with an instruction to move on. */
  readonly repetition: boolean;
  /** Longest park on collect or delegate, ms; 'per_call': the call says; null: without a deadline. */
  readonly parkDeadlineMs: number | 'per_call' | null;
  /** X14 */
  readonly redeliver: 'auto' | 'coordinator' | 'fail_to_manager' | 'fail_to_user';
  /** X34 */
  readonly speaker: 'leader' | 'member';
  /** X27 */
  readonly batch: 'all_or_nothing' | 'sequential' | null;
  /** X28 */
  readonly closeOn: 'dissolve' | 'session_delete' | 'delete';
  /** X36 */
  readonly helper: 'separate' | 'counted' | 'denied' | null;
  /** X30, X41 */
  readonly rosterIn: 'notes' | 'prompt_per_turn';
  /** X42 */
  readonly routingCache: 'option' | null;
  /** X33: where a member's model comes from, first match. */
  readonly memberModel: readonly ('call' | 'definition' | 'caller')[];
  /** X32 */
  readonly stepBudget: 'definition';
  /** Refusals are checked in this order, the first that applies answers. */
  readonly refusals: {
    readonly add: readonly AddRefusal[];
    readonly send: readonly SendRefusal[];
    readonly stop: readonly StopRefusal[];
  };
}

export type AddRefusal = 'unavailable' | 'all_name' | 'bad_name' | 'taken' | 'no_goal' | 'full';
export type SendRefusal = 'unavailable' | 'nobody' | 'unknown' | 'self';
export type StopRefusal = 'unavailable' | 'nobody_to_stop' | 'unknown' | 'not_yours';
