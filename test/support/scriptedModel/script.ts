/**
 * What the scripted model answers, as plain data (so that a script may be a JSON file) with builders that read well:
 *
 *   server.script({
 *     lead: [call('team_add', { name: 'parser', task: '…' }), say('I wait.'), say('Done.')],
 *     parser: [calls(call('read', { path: 'a' }), call('read', { path: 'b' })), hold('gate', say('…')), say('ready')],
 *     '*': [say('anybody else')],
 *   });
 *
 * Each entry answers one request of that agent, in order; a function is asked with the request.
 */
export interface ScriptedCall {
  readonly tool: string;
  /** An object is written as JSON; a string goes out as it is, broken JSON too. */
  readonly args: object | string;
  /** The id on the wire; by default one that is unique on this server. */
  readonly id?: string;
}

export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Pieces that the text is sent in. Default: the server's. */
  readonly chunks?: number;
  /** Pause before each piece, in ms. */
  readonly delayMs?: number;
  /** Stops after the first half of the pieces until the gate of this name is released. */
  readonly hold?: string;
  /** An HTTP error instead of an answer. */
  readonly status?: number;
  /** Retry-After, in seconds or as a date. */
  readonly retryAfter?: number | string;
  /** The error's body; also with `raw`. */
  readonly contentType?: string;
  /** Headers and half of the pieces, then silence for ever. */
  readonly stall?: boolean;
  /** Headers and half of the pieces, then the connection is reset. */
  readonly cut?: boolean;
  /** These bytes are the whole body (or the error's). */
  readonly raw?: string;
  /** Another finish reason than the usual one. */
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** This entry answers so many requests. Default 1. */
  readonly times?: number;
}

/** What a function entry is asked with. */
export interface AskedRequest {
  readonly agent: string;
  /** Counts this agent's requests from 1. */
  readonly n: number;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly string[];
}

export interface WireMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { name: string; arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export type ScriptEntry = ScriptedAnswer | ((request: AskedRequest) => ScriptedAnswer);
/** A list is used up; a single function answers every request of that agent. */
export type AgentScript = readonly ScriptEntry[] | ((request: AskedRequest) => ScriptedAnswer);
/** By agent name; "*" is everybody who has no script of their own. */
export type Script = Readonly<Record<string, AgentScript>>;

export const say = (text: string, more: ScriptedAnswer = {}): ScriptedAnswer => ({ ...more, text });

export const call = (
  tool: string,
  args: object | string = {},
  more: ScriptedAnswer = {},
): ScriptedAnswer => ({
  ...more,
  calls: [{ tool, args }],
});

/** Several calls in one answer; texts are joined. */
export const calls = (...parts: readonly ScriptedAnswer[]): ScriptedAnswer => {
  const text = parts.map((part) => part.text ?? '').join('');
  return { ...(text !== '' && { text }), calls: parts.flatMap((part) => part.calls ?? []) };
};

/** The same answer, but it stops in the middle until `release(gate)`. */
export const hold = (gate: string, answer: ScriptedAnswer = { text: 'done' }): ScriptedAnswer => ({
  ...answer,
  hold: gate,
});

export const status = (
  code: number,
  more: Pick<ScriptedAnswer, 'retryAfter' | 'raw' | 'contentType' | 'times'> = {},
): ScriptedAnswer => ({ ...more, status: code });

export const stall = (answer: ScriptedAnswer = { text: 'half of it' }): ScriptedAnswer => ({
  ...answer,
  stall: true,
});

export const cut = (answer: ScriptedAnswer = { text: 'half of it' }): ScriptedAnswer => ({
  ...answer,
  cut: true,
});

export const raw = (body: string, contentType = 'text/event-stream'): ScriptedAnswer => ({
  raw: body,
  contentType,
});

export const repeat = (times: number, entry: ScriptEntry): readonly ScriptEntry[] =>
  Array.from({ length: times }, () => entry);
