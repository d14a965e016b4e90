import { asCount, asList, asObject, asWord, type Json } from '../lenient';
import type { ModelUsage } from '../port';

/** What one chunk of a stream (or a whole answer that came as one document) says, whatever dialect it is in. */
export interface Chunk {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallDelta[];
  /** As the server wrote it; empty ones are absent (fault 15). */
  readonly finish: string | undefined;
  readonly usage: ServerUsage | undefined;
  readonly error: ChunkError | undefined;
  /** Whether it had a choice at all: a stream without any is no answer. */
  readonly choice: boolean;
}

export interface CallDelta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly args: string;
}

export interface ChunkError {
  readonly message: string;
  readonly code: string | undefined;
  readonly status: number | undefined;
}

export type ServerUsage = Omit<ModelUsage, 'estimated'>;

/** `named` is the event's name in the stream; "error" makes any payload an error (fault 19). */
export function readChunk(value: unknown, named?: string): Chunk {
  const root = asObject(value) ?? {};
  const choice = asObject(asList(root['choices'])[0]);
  // A whole completion has `message` where a chunk has `delta` (fault 31).
  const delta = asObject(choice?.['delta']) ?? asObject(choice?.['message']) ?? {};
  const content = readContent(delta['content']);
  const refusal = delta['refusal'];
  return {
    text: content.text + (typeof refusal === 'string' ? refusal : ''),
    reasoning: content.reasoning + readReasoning(delta),
    calls: asList(delta['tool_calls']).map(readCall),
    finish: asWord(choice?.['finish_reason']),
    usage: readUsage(root['usage']) ?? readUsage(choice?.['usage']) ?? readUsage(groqUsage(root)),
    error: readError(value, choice, named),
    choice: choice !== undefined,
  };
}

const groqUsage = (root: Json): unknown => asObject(root['x_groq'])?.['usage'];

function readCall(value: unknown): CallDelta {
  const call = asObject(value) ?? {};
  // The first delta of some servers has no `function` around name and arguments (fault 8).
  const body = asObject(call['function']) ?? call;
  return {
    index: asCount(call['index']),
    id: asWord(call['id']),
    name: asWord(body['name']),
    args: readArgs(body['arguments']),
  };
}

/** Arguments as text: objects are written out, null and absent are nothing (faults 10, 11). */
function readArgs(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/** Content is a string, or a list of parts of which some are thinking (fault 25). */
function readContent(value: unknown): { text: string; reasoning: string } {
  if (typeof value === 'string') return { text: value, reasoning: '' };
  let text = '';
  let reasoning = '';
  for (const item of asList(value)) {
    const part = asObject(item);
    if (typeof item === 'string') text += item;
    else if (typeof part?.['text'] === 'string') text += part['text'];
    else if (part?.['thinking'] !== undefined) reasoning += readContent(part['thinking']).text;
  }
  return { text, reasoning };
}

/** Several fields may carry the same thought at once: the first that has any wins (fault 23). */
function readReasoning(delta: Json): string {
  for (const field of ['reasoning_content', 'reasoning', 'reasoning_text']) {
    const value = delta[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  let text = '';
  for (const item of asList(delta['reasoning_details'])) {
    const part = asObject(item);
    const piece = part?.['text'] ?? part?.['summary'];
    if (typeof piece === 'string') text += piece;
  }
  return text;
}

function readUsage(value: unknown): ServerUsage | undefined {
  const usage = asObject(value);
  const inputTokens = asCount(usage?.['prompt_tokens']);
  const outputTokens = asCount(usage?.['completion_tokens']);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  // Zeros are a placeholder of servers that don't count: no answer costs nothing.
  if ((inputTokens ?? 0) === 0 && (outputTokens ?? 0) === 0) return undefined;
  const cached =
    asCount(asObject(usage?.['prompt_tokens_details'])?.['cached_tokens']) ??
    asCount(usage?.['prompt_cache_hit_tokens']) ??
    asCount(usage?.['cached_tokens']) ??
    0;
  return {
    inputTokens: inputTokens ?? 0,
    cachedTokens: Math.min(cached, inputTokens ?? 0),
    outputTokens: outputTokens ?? 0,
  };
}

function readError(value: unknown, choice: Json | undefined, named?: string): ChunkError | undefined {
  const root = asObject(value) ?? asObject(asList(value)[0]);
  const inner = root?.['error'] ?? choice?.['error'];
  if (inner !== undefined && inner !== null && inner !== false) return describeError(inner);
  if (root?.['object'] === 'error' || named === 'error') return describeError(value);
  if (choice === undefined && root?.['choices'] === undefined && root?.['detail'] !== undefined) {
    return describeError(root['detail']);
  }
  return undefined;
}

/** The words of an error in any of the forms that servers use. */
export function describeError(value: unknown): ChunkError {
  const error = asObject(value) ?? asObject(asList(value)[0]);
  const message =
    asWord(error?.['message']) ??
    asWord(error?.['msg']) ??
    asWord(error?.['detail']) ??
    asWord(value) ??
    JSON.stringify(value) ??
    '';
  const code = asWord(error?.['code']) ?? asWord(error?.['type']);
  const status = asCount(Number(error?.['status'] ?? error?.['status_code'] ?? error?.['code']));
  return {
    message,
    code,
    status: status !== undefined && status >= 400 && status < 600 ? status : undefined,
  };
}
