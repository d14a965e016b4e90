import { estimateTokens } from '../../base/tokens';
import type { ModelEnd, ModelEvent, ModelFault, ModelToolCall, ModelUsage } from '../port';
import { CallSlots } from './callSlots';
import { type Chunk, readChunk, type ServerUsage } from './chunk';
import { faultOfStreamError } from './faults';

/** Unreadable lines that are skipped before the stream is given up (fault 33). */
const BAD_LINES = 3;
/** Characters of one answer; more is a server out of control, not an answer. */
const LONGEST_ANSWER = 16_000_000;

export interface AssemblerOptions {
  /** Names of the tools that were offered. */
  readonly tools: ReadonlySet<string>;
  /** Tokens that the request is thought to have, for servers that send no usage. */
  readonly inputTokens: number;
  /** Makes the next wire id, unique within the transcript. */
  readonly nextWireId: () => string;
}

/**
 * Turns parsed chunks into events for display and, at the end, the whole answer. Pure: no clock, no network. What is
 * an answer's end is decided here: a finish reason or [DONE] was seen, or one whole document was read (fault 16).
 */
export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #slots: CallSlots;
  #text = '';
  #reasoning = '';
  #finish: string | undefined;
  #done = false;
  #answered = false;
  #touched = false;
  #usage: ServerUsage | undefined;
  #fault: ModelFault | undefined;
  #badLines = 0;
  #events: ModelEvent[] = [];

  constructor(options: AssemblerOptions) {
    this.#options = options;
    this.#slots = new CallSlots(options.tools);
  }

  /** Whether the server has said that the answer is whole. */
  get complete(): boolean {
    return this.#fault === undefined && this.#answered && (this.#done || this.#finish !== undefined);
  }

  /** Whether nothing further is to be read: [DONE] was seen, or an error. */
  get closed(): boolean {
    return this.#done || this.#fault !== undefined;
  }

  get badLines(): number {
    return this.#badLines;
  }

  /**
   * One parsed chunk; `named` is the event's name in the stream. Answers whether it moved anything: keepalives and
   * empty deltas don't, so that they can't hold off the idle watchdog for ever (fault 20).
   */
  feed(value: unknown, named?: string): boolean {
    if (this.closed) return false;
    const chunk = readChunk(value, named);
    this.#touched = true;
    if (chunk.error !== undefined) {
      this.#fault = faultOfStreamError(chunk.error);
      return true;
    }
    return this.#take(chunk);
  }

  /** A line that is no JSON: skipped, and too many of them are an error. */
  feedBadLine(): void {
    this.#badLines++;
    if (this.#badLines > BAD_LINES) this.fail(protocolFault('The server sent lines that are no JSON.'));
  }

  /** [DONE], or the end of a document that came whole. */
  markDone(): void {
    this.#done = true;
  }

  /** Something outside the chunks went wrong; the first such fault counts, and none after a complete answer. */
  fail(fault: ModelFault): void {
    if (!this.complete) this.#fault ??= fault;
  }

  /** Display events since the last call, neighbouring text joined. */
  takeEvents(): readonly ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** The end as the server left it. An answer that nobody called complete is incomplete (faults 16, 17). */
  end(): ModelEnd {
    if (!this.complete) {
      return {
        type: 'end',
        reason: 'error',
        text: this.#text,
        fault: this.#fault ?? INCOMPLETE,
        usage: this.#usageNow(),
      };
    }
    if (this.#finish === 'content_filter' || this.#finish === 'error') {
      const fault = this.#finish === 'error' ? BROKEN_OFF : FILTERED;
      return { type: 'end', reason: 'error', text: this.#text, fault, usage: this.#usageNow() };
    }
    const calls = this.#calls();
    return {
      type: 'end',
      reason: reasonOf(this.#finish, calls.length > 0),
      text: this.#text,
      reasoning: this.#reasoning,
      calls,
      usage: this.#usageNow(),
    };
  }

  abortedEnd(): ModelEnd {
    return { type: 'end', reason: 'aborted', text: this.#text, usage: this.#usageNow() };
  }

  #take(chunk: Chunk): boolean {
    this.#answered ||= chunk.choice;
    if (chunk.text !== '') this.#addText('text', chunk.text);
    if (chunk.reasoning !== '') this.#addText('reasoning', chunk.reasoning);
    for (const delta of chunk.calls) {
      const tool = this.#slots.add(delta);
      if (tool !== undefined) this.#events.push({ type: 'call_started', tool });
    }
    this.#finish ??= chunk.finish?.toLowerCase();
    // The last one wins: some servers send running totals in every chunk (fault 22).
    this.#usage = chunk.usage ?? this.#usage;
    if (this.#text.length + this.#reasoning.length + this.#slots.chars > LONGEST_ANSWER) {
      this.#fault = protocolFault('The server sent an answer without end.');
    }
    const lastUsage = chunk.usage !== undefined && !chunk.choice;
    return (
      chunk.text !== '' ||
      chunk.reasoning !== '' ||
      chunk.calls.length > 0 ||
      chunk.finish !== undefined ||
      lastUsage
    );
  }

  #addText(type: 'text' | 'reasoning', text: string): void {
    if (type === 'text') this.#text += text;
    else this.#reasoning += text;
    const last = this.#events.at(-1);
    if (last?.type === type) this.#events[this.#events.length - 1] = { type, text: last.text + text };
    else this.#events.push({ type, text });
  }

  #calls(): readonly ModelToolCall[] {
    return this.#slots.calls().map(({ tool, args }) => ({ wireId: this.#options.nextWireId(), tool, args }));
  }

  #usageNow(): ModelUsage {
    if (this.#usage !== undefined) return { ...this.#usage, estimated: false };
    if (!this.#touched) return { inputTokens: 0, cachedTokens: 0, outputTokens: 0, estimated: true };
    const written = estimateTokens(this.#text) + estimateTokens(this.#reasoning);
    const outputTokens = written + Math.ceil(this.#slots.chars / 4);
    return { inputTokens: this.#options.inputTokens, cachedTokens: 0, outputTokens, estimated: true };
  }
}

/** Presence of calls decides, not the reason (fault 13), but being cut off is told either way (fault 14). */
function reasonOf(finish: string | undefined, calls: boolean): 'stop' | 'tool_calls' | 'length' {
  if (finish === 'length' || finish === 'max_tokens') return 'length';
  return calls ? 'tool_calls' : 'stop';
}

const protocolFault = (message: string): ModelFault => ({ kind: 'protocol', message, retryable: false });

const INCOMPLETE: ModelFault = {
  kind: 'incomplete',
  message: 'The answer broke off before its end.',
  retryable: true,
};
const BROKEN_OFF: ModelFault = {
  kind: 'server',
  message: 'The server broke the answer off with an error.',
  retryable: true,
};
const FILTERED: ModelFault = {
  kind: 'bad_request',
  message: "The server's content filter stopped the answer.",
  retryable: false,
};
