import { estimateTokens } from '../base/tokens';
import type { ModelMessage, ModelTool } from '../model/port';
import type { CallId } from '../shared/ids';
import type { EntryRef } from '../shared/state';

/** What is left out of a context as a whole or not at all: a user message, or an answer with the results of its calls. */
export interface ContextPart {
  /** Where it stands in the state; null: the words that stand for what was left out earlier. */
  readonly ref: EntryRef | null;
  readonly messages: readonly ModelMessage[];
  /** The calls of the answer, in the order of its tool messages. */
  readonly calls: readonly CallId[];
}

/** What a model is sent, in the pieces that it is made of. */
export interface Context {
  readonly system: ModelMessage;
  readonly parts: readonly ContextPart[];
  readonly measured: Measured | null;
}

/** A server has counted so many tokens for a request that ended before the part of this index. */
export interface Measured {
  readonly tokens: number;
  readonly parts: number;
}

/** An estimate may be off by this factor at most before it is no longer believed. */
const MOST_OFF = 4;

/** What every message costs beside its text. */
const PER_MESSAGE = 4;

const known = new WeakMap<ModelMessage | ModelTool, number>();

/** Rough tokens; each message and tool is counted once and remembered, since transcripts only grow. */
function sizeOf<T extends ModelMessage | ModelTool>(item: T, textOf: (item: T) => string): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  const tokens = estimateTokens(textOf(item)) + PER_MESSAGE;
  known.set(item, tokens);
  return tokens;
}

export const messageSize = (message: ModelMessage): number => sizeOf(message, messageText);

export const partSize = (part: ContextPart): number =>
  part.messages.reduce((sum, message) => sum + messageSize(message), 0);

function messageText(message: ModelMessage): string {
  if (message.role !== 'assistant') return message.text;
  const calls = message.calls.map((call) => call.tool + call.args).join('');
  return message.text + calls + (message.reasoning ?? '');
}

const toolText = (tool: ModelTool): string => tool.name + tool.description + JSON.stringify(tool.parameters);

/**
 * The context of a run as it grows, and how much of the model's window it takes: what the server has counted, and for
 * what came since an estimate at the rate that the server's own count shows.
 */
export class ContextWindow {
  readonly #tools: number;
  #context: Context;
  #parts: ContextPart[];
  #messages: ModelMessage[];
  #measured: Measured | null;
  /** Counted tokens per estimated one. */
  #rate = 1;

  constructor(context: Context, tools: readonly ModelTool[]) {
    this.#tools = tools.reduce((sum, tool) => sum + sizeOf(tool, toolText), 0);
    this.#context = context;
    this.#parts = [...context.parts];
    this.#messages = [context.system, ...context.parts.flatMap((part) => part.messages)];
    this.#measured = context.measured;
    this.#calibrate();
  }

  /** In its place another one, as the state gives it; what was learned of the server's count stays. */
  replace(context: Context): void {
    this.#context = context;
    this.#parts = [...context.parts];
    this.#messages = [context.system, ...context.parts.flatMap((part) => part.messages)];
    this.#measured = context.measured;
  }

  get system(): ModelMessage {
    return this.#context.system;
  }

  get parts(): readonly ContextPart[] {
    return this.#parts;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  push(part: ContextPart): void {
    this.#parts.push(part);
    this.#messages.push(...part.messages);
  }

  /** The server has counted the request that was made of all that is here now. */
  counted(tokens: number): void {
    if (tokens <= 0) return;
    this.#measured = { tokens, parts: this.#parts.length };
    this.#calibrate();
  }

  /** The server says that it does not fit into so many tokens. */
  tooLong(window: number): void {
    if (this.tokens >= window) return;
    this.#measured = null;
    this.#rate = Math.min(MOST_OFF, Math.max(this.#rate, window / this.#estimate(this.#parts.length)));
  }

  /** Tokens of the next request. */
  get tokens(): number {
    if (this.#measured === null) return Math.ceil(this.#estimate(this.#parts.length) * this.#rate);
    return this.#measured.tokens + this.sizeOf(this.#parts.slice(this.#measured.parts));
  }

  /** Tokens of what is in every request, whatever is left out: the prompt and the tools. */
  get fixed(): number {
    return Math.ceil((messageSize(this.#context.system) + this.#tools) * this.#rate);
  }

  /** Tokens of parts, at the server's rate. */
  sizeOf(parts: readonly ContextPart[]): number {
    return Math.ceil(parts.reduce((sum, part) => sum + partSize(part), 0) * this.#rate);
  }

  sizeOfText(text: string): number {
    return Math.ceil(estimateTokens(text) * this.#rate);
  }

  get rate(): number {
    return this.#rate;
  }

  #estimate(parts: number): number {
    let sum = messageSize(this.#context.system) + this.#tools;
    for (const part of this.#parts.slice(0, parts)) sum += partSize(part);
    return sum;
  }

  #calibrate(): void {
    if (this.#measured === null) return;
    const rate = this.#measured.tokens / this.#estimate(this.#measured.parts);
    this.#rate = Math.min(MOST_OFF, Math.max(1 / MOST_OFF, rate));
  }
}
