/**
 * What the engine knows of a language model: one streaming request. A provider's fault is data (`end` with
 * `error`), never an exception. Adapters: `openai`, `rehearsal`; later `vscode-lm`.
 */
export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelToolCall[];
      /** What a reasoning model wants back in the next request (faults 23, 24); absent for others. */
      readonly reasoning?: string;
    }
  | { readonly role: 'tool'; readonly wireId: string; readonly tool: string; readonly text: string };

export interface ModelToolCall {
  /** Unique within the transcript, 9 alphanumerics (the strictest server's form, fault 29); made by the adapter. */
  readonly wireId: string;
  readonly tool: string;
  /** Raw JSON text as the model wrote it, always a string (fault 12); may be unparsable or cut (faults 3, 14). */
  readonly args: string;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema with only the keywords that compatible servers accept. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Stable per agent: lets a server keep its prompt cache warm; sent only where the profile allows it. */
  readonly cacheKey?: string;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** True if the server sent none and it was estimated from characters. */
  readonly estimated: boolean;
}

export type ModelFaultKind =
  /** Key missing or refused: nothing to retry, the person must act. */
  | 'auth'
  | 'rate_limit'
  | 'overloaded'
  | 'bad_request'
  /** The transcript does not fit the window. */
  | 'too_long'
  | 'network'
  /** No event for the idle time. */
  | 'stalled'
  /** The stream ended without saying that it was complete. */
  | 'incomplete'
  | 'server'
  /** The server sent what no reading of the protocol explains. */
  | 'protocol';

export interface ModelFault {
  readonly kind: ModelFaultKind;
  /** A sentence for a person; never holds the key. */
  readonly message: string;
  readonly status?: number;
  /** Milliseconds that the server asked to wait, already clamped. */
  readonly retryAfterMs?: number;
  readonly retryable: boolean;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A tool call is being written: for display only; the whole call comes with `end`. */
  | { readonly type: 'call_started'; readonly tool: string }
  /** A retry is about to wait: for display only. */
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly fault: ModelFault }
  /** Exactly one, last. */
  | ModelEnd;

export type ModelEnd =
  | {
      readonly type: 'end';
      readonly reason: 'stop' | 'tool_calls' | 'length';
      readonly text: string;
      readonly reasoning: string;
      readonly calls: readonly ModelToolCall[];
      readonly usage: ModelUsage;
    }
  /** `text` and `usage` hold what had arrived: partial text is kept flagged, never thrown away. */
  | {
      readonly type: 'end';
      readonly reason: 'error';
      readonly text: string;
      readonly fault: ModelFault;
      readonly usage: ModelUsage;
    }
  | { readonly type: 'end'; readonly reason: 'aborted'; readonly text: string; readonly usage: ModelUsage };

export interface ModelPort {
  /** Streams one answer. Aborting the signal closes the connection at once and yields `end` with `aborted`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** The body of this request as it is sent, for a person to read. Keys are no part of it. */
  written(request: ModelRequest): Promise<string>;
}

/** Prices in USD per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** A model entry as the person has set it up. */
export interface ModelEntry {
  readonly id: string;
  readonly provider: 'openai' | 'rehearsal';
  /** Shown to the person. */
  readonly label: string;
  readonly baseUrl: string;
  /** The name the server knows. */
  readonly model: string;
  /** Requests served at once (L-101); null: not set. */
  readonly parallel: number | null;
  /** One session only (L-101). */
  readonly singleSession: boolean;
  /** Models of one group exclude one another (L-84); null: none. */
  readonly capacityGroup: string | null;
  readonly contextWindow: number;
  /** null: unknown, so money is not counted and the person is told so. */
  readonly price: ModelPrice | null;
  /** Sent as they are, e.g. temperature or reasoning_effort. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}
