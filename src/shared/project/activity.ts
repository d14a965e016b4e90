import type { FinishReason } from '../state';

/** What an agent is doing now, as data; `rowSentence` words it for the webview and for the native tree. */
export type Activity =
  | { readonly type: 'new' }
  | { readonly type: 'thinking'; readonly step: number }
  | {
      readonly type: 'calling';
      readonly tool: string;
      /** The path, command or other argument that says it best; null: none can be told. */
      readonly what: string | null;
      /** How many other calls are under way. */
      readonly others: number;
      readonly step: number;
    }
  | { readonly type: 'asks_permission'; readonly tool: string; readonly what: string | null }
  | { readonly type: 'asks_question'; readonly what: string }
  | { readonly type: 'at_limit'; readonly limit: 'tokens' | 'money' }
  | { readonly type: 'collects' }
  | { readonly type: 'delegates'; readonly to: string }
  | { readonly type: 'waits_helper'; readonly names: readonly string[] }
  /** `model`: whose slots are taken, `names` the agents of this session that hold some; null: it only waits to be started. */
  | { readonly type: 'waits_slot'; readonly model: string | null; readonly names: readonly string[] }
  /** Another model of its capacity group is busy. */
  | { readonly type: 'waits_group'; readonly model: string; readonly names: readonly string[] }
  /** Its run may start when that agent's turn has ended. */
  | { readonly type: 'waits_turn'; readonly of: string }
  | { readonly type: 'waits_answer'; readonly from: readonly string[] }
  | { readonly type: 'waits_reports'; readonly names: readonly string[] }
  /** Its turn has ended; commands of its own still run, and it is told when they end. */
  | { readonly type: 'waits_jobs'; readonly jobs: number }
  | { readonly type: 'continues' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'paused' }
  | { readonly type: 'finished'; readonly at: number }
  | {
      readonly type: 'ended';
      readonly at: number;
      readonly reason: Exclude<FinishReason, 'final' | 'delivered'>;
      readonly detail: string | null;
    }
  | {
      readonly type: 'left';
      readonly at: number;
      /** `person` or a name. */
      readonly by: { readonly type: 'person' | 'host' } | { readonly type: 'agent'; readonly name: string };
      readonly reason: 'stopped' | 'dissolved' | 'ended';
    };
