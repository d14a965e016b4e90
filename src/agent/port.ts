import type { ModelPort, ModelTool } from '../model/port';
import type { CallId, StepId } from '../shared/ids';
import type {
  AskWhy,
  Call,
  CallResult,
  CompactedEntry,
  EntryRef,
  PermittedBy,
  Step,
  StepUsage,
} from '../shared/state';
import type { Text } from '../shared/text';
import type { OpenedCall, PreparedCall, Tool } from '../tools/defineTool';
import type { Context, ContextPart } from './context';

/** A prepared call that would go on to permission; the other kind has its answer already. */
export type ReadyCall = Extract<PreparedCall, { type: 'ready' }>;
export type ToolAnswer = Awaited<ReturnType<ReadyCall['execute']>>;
type ToolContext = Parameters<ReadyCall['execute']>[0];

/**
 * What one agent's run needs from its host. The loop knows no team, no editor, no provider and no store: it asks
 * here. Everything that changes state goes through the host's one dispatcher; methods without a promise take effect
 * on the head state at once and become durable with the next flush.
 */
export interface RunHost {
  readonly model: ModelPort;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly modelTools: readonly ModelTool[];
  readonly cacheKey: string;

  /** Tokens that a request to the model may have, with its answer. */
  readonly contextWindow: number;
  /** The context from the state: system prompt, earlier runs as the style's policy says, this run. */
  context(): Promise<Context>;
  /** Where the newest entry of this run stands. */
  lastEntry(): EntryRef;
  /** The last step of this run, or null before the first. */
  lastStep(): Step | null;
  call(id: CallId): Call;

  /** Takes what waits for the agent, as the user messages it makes; resolves after the flush, empty if nothing waited. */
  takeInput(): Promise<readonly ContextPart[]>;
  /** What the model is asked when its context is nearly full. */
  summaryPrompt(words: number): string;
  /**
   * The user message that stands for what came before `from`: how things stand by the state, and the summary; null: that
   * there is none.
   */
  wordsFor(summary: string | null, from: EntryRef | null): Promise<string>;
  /** Asked before every model call with the size of the request in tokens. */
  checkLimits(requestTokens: number): LimitVerdict;
  /** Whether no further step may begin. */
  isPaused(): boolean;
  pause(): void;
  /** Parks the run and asks the person to raise the limit. */
  askLimit(verdict: Extract<LimitVerdict, { type: 'ask' }>): void;

  recordStep(answer: RecordedAnswer): StepId;
  /** Partial text is kept, flagged; `fault` null: the run was stopped. */
  recordAbort(text: string, usage: StepUsage, fault: string | null): void;
  recordCompaction(made: RecordedCompaction): void;
  usage(
    counts: { inputTokens: number; cachedTokens: number; outputTokens: number; estimated: boolean },
    latencyMs: number,
  ): StepUsage;
  now(): number;
  keep(text: string): Text;
  read(text: Text): Promise<string>;

  /**
   * A refusal that comes before any question of permission: manager, repetition, errors (L-67, O-32, O-33). Asked
   * before the call is prepared, and again with what preparing found: only then it is known what a command touches.
   */
  gate(call: Call, tool: Tool, opened: OpenedCall, prepared: ReadyCall | null): CallResult | null;
  permission(call: Call, tool: Tool, opened: OpenedCall, prepared: ReadyCall): PermissionAnswer;
  permit(call: Call, by: PermittedBy, argsHash: string | null): void;
  /** Opens an ask for the person and suspends the call on it. */
  askPerson(
    call: Call,
    tool: Tool,
    prepared: ReadyCall,
    answer: Extract<PermissionAnswer, { type: 'ask' }>,
  ): void;
  suspend(call: Call, on: Extract<ToolAnswer, { type: 'suspend' }>['on']): void;
  /** What became of a suspended call: null while it is still open. */
  resolution(call: Call): Promise<Resolution | null>;
  toolContext(call: Call, signal: AbortSignal): ToolContext;
  finish(call: Call, tool: Tool | null, result: CallResult): void;

  /** Resolves when everything dispatched so far is durable. Rejects if it can't be. */
  flushed(): Promise<void>;
  park(): void;
  end(reason: 'final' | 'steps' | 'budget' | 'error', text: string, detail: string | null): void;
  live(update: LoopLive): void;
  /** The model is at work, though there is nothing to show of it. */
  heard(): void;
  log(message: string, error: unknown): void;
}

export interface RecordedAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly wireId: string; readonly tool: string; readonly args: string }[];
  readonly usage: StepUsage;
}

export interface RecordedCompaction extends Omit<CompactedEntry, 'type' | 'at' | 'text'> {
  readonly text: string | null;
  readonly usage: StepUsage | null;
}

export type LimitVerdict =
  | { readonly type: 'go' }
  | { readonly type: 'end'; readonly reason: 'steps' | 'budget' | 'error'; readonly detail: string }
  | {
      readonly type: 'ask';
      readonly limit: 'tokens' | 'money';
      readonly used: number;
      readonly allowed: number;
    };

export type PermissionAnswer =
  | { readonly type: 'allow'; readonly by: PermittedBy; readonly argsHash: string | null }
  /** `anew`: also if the person has allowed exactly this already. */
  | { readonly type: 'ask'; readonly why: AskWhy; readonly argsHash: string; readonly anew: boolean }
  | { readonly type: 'deny'; readonly text: string };

export type Resolution =
  | { readonly type: 'allowed'; readonly argsHash: string }
  | { readonly type: 'result'; readonly result: CallResult }
  /** What another agent has to say; as long as it likes, so it may have to be cut. */
  | { readonly type: 'reply'; readonly status: 'ok' | 'error' | 'stopped'; readonly text: string };

export type LoopLive =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'text_end' }
  | { readonly type: 'thinking' }
  /** It puts what it has done so far into words for itself. */
  | { readonly type: 'summarising' }
  /** Nothing was heard of what it waits for, for so many minutes. */
  | { readonly type: 'silent'; readonly minutes: number }
  | { readonly type: 'tool_writing'; readonly tool: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string };
