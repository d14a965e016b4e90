import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { asObject, parseJson } from '../lenient';
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall } from '../port';

/** The largest part of unreadable arguments that the model gets back, in characters. */
const LONGEST_BROKEN_ARGS = 2000;
/** What the server gets where a call has no result: a call without one is refused by every server. */
const NO_RESULT = 'No result of this call was recorded.';

export interface WireOptions {
  readonly model: string;
  /** The person's parameters of the model entry, without those that were found to be refused. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly stream: boolean;
  readonly streamOptions: boolean;
  readonly cacheKey: string | undefined;
  /** Whether this model wants its own reasoning back (fault 24). */
  readonly replayReasoning: boolean;
}

/**
 * Writes requests as JSON text. Each message and tool list is written once and remembered by identity, since a
 * transcript only grows: a step costs its new messages, not the whole transcript again.
 */
export class WireWriter {
  #fragments = new WeakMap<ModelMessage, string>();
  #tools = new WeakMap<readonly ModelTool[], string>();
  #reasoning = false;

  body(request: ModelRequest, options: WireOptions): string {
    if (this.#reasoning !== options.replayReasoning) {
      this.#fragments = new WeakMap();
      this.#reasoning = options.replayReasoning;
    }
    const { model, parameters, stream } = options;
    const head = JSON.stringify({
      ...parameters,
      model,
      stream,
      ...(stream && options.streamOptions && { stream_options: { include_usage: true } }),
      ...(options.cacheKey !== undefined && { prompt_cache_key: options.cacheKey }),
    });
    const tools = request.tools.length === 0 ? '' : `,"tools":${this.#toolList(request.tools)}`;
    return `${head.slice(0, -1)}${tools},"messages":[${this.#messages(request.messages).join(',')}]}`;
  }

  /**
   * All messages, with exactly one result after each call: results that no call asked for are left out, and a
   * missing one is said to be missing.
   */
  #messages(messages: readonly ModelMessage[]): string[] {
    const results = new Map<string, ModelMessage>();
    for (const message of messages) {
      if (message.role === 'tool' && !results.has(message.wireId)) results.set(message.wireId, message);
    }
    const written: string[] = [];
    for (const message of messages) {
      if (message.role === 'tool') continue;
      written.push(this.#fragment(message));
      if (message.role !== 'assistant') continue;
      for (const { wireId, tool } of message.calls) {
        const result = results.get(wireId) ?? { role: 'tool', wireId, tool, text: NO_RESULT };
        written.push(this.#fragment(result));
      }
    }
    return written;
  }

  #fragment(message: ModelMessage): string {
    const before = this.#fragments.get(message);
    if (before !== undefined) return before;
    const text = JSON.stringify(toWire(message, this.#reasoning));
    this.#fragments.set(message, text);
    return text;
  }

  #toolList(tools: readonly ModelTool[]): string {
    const before = this.#tools.get(tools);
    if (before !== undefined) return before;
    const text = JSON.stringify(tools.map(toolToWire));
    this.#tools.set(tools, text);
    return text;
  }
}

/**
 * Content is always a string, "" where there is none: null and absence are refused by some (fault 28). Half of a
 * surrogate pair, left by some cut, would be refused by strict servers in this and every later request.
 */
function toWire(message: ModelMessage, reasoning: boolean): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text.toWellFormed() };
    case 'tool':
      return { role: 'tool', tool_call_id: message.wireId, content: message.text.toWellFormed() };
    case 'assistant': {
      const thought = reasoning ? { reasoning_content: (message.reasoning ?? '').toWellFormed() } : {};
      const calls = message.calls.length === 0 ? {} : { tool_calls: message.calls.map(callToWire) };
      return { role: 'assistant', content: message.text.toWellFormed(), ...thought, ...calls };
    }
  }
}

function callToWire(call: ModelToolCall) {
  const name = wireName(call.tool);
  return { id: call.wireId, type: 'function' as const, function: { name, arguments: wireArgs(call.args) } };
}

/** A name that the model made up may have characters for which the whole next request would be refused. */
const wireName = (tool: string): string => tool.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_';

/**
 * Always a string with a JSON object in it (fault 12). Arguments that are none would be refused one request later
 * (fault 3); the model gets back what it wrote, inside an object.
 */
function wireArgs(args: string): string {
  if (args.trim() === '') return '{}';
  if (asObject(parseJson(args)) !== undefined) return args.toWellFormed();
  return JSON.stringify({ unreadable_arguments: args.slice(0, LONGEST_BROKEN_ARGS).toWellFormed() });
}

const toolToWire = ({ name, description, parameters }: ModelTool): ChatCompletionTool => ({
  type: 'function',
  function: { name, description, parameters: { ...parameters } },
});
