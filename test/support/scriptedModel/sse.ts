import type { ScriptedAnswer, ScriptedCall } from './script';

/** Numbers the calls of one server, so that ids differ (they are no nine characters on purpose: ours must be). */
export interface CallIds {
  next(): string;
}

const frame = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`;

/** The answer as event-stream frames in the order they are sent, ending with [DONE]. */
export function framesOf(answer: ScriptedAnswer, chunks: number, bodyBytes: number, ids: CallIds): string[] {
  const base = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  const delta = (content: object): string =>
    frame({ ...base, choices: [{ index: 0, delta: content, finish_reason: null }] });
  const frames = [delta({ role: 'assistant', content: '' })];
  if (answer.reasoning !== undefined) frames.push(delta({ reasoning_content: answer.reasoning }));
  for (const piece of split(answer.text ?? '', answer.chunks ?? chunks))
    frames.push(delta({ content: piece }));
  for (const [index, call] of (answer.calls ?? []).entries())
    frames.push(...callFrames(call, index, delta, ids));
  const finish = answer.finish ?? finishOf(answer);
  frames.push(frame({ ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] }));
  frames.push(frame({ ...base, choices: [], usage: usageOf(answer, bodyBytes) }));
  frames.push('data: [DONE]\n\n');
  return frames;
}

function callFrames(
  call: ScriptedCall,
  index: number,
  delta: (content: object) => string,
  ids: CallIds,
): string[] {
  const args = argsText(call);
  const half = Math.ceil(args.length / 2);
  const named = { name: call.tool, arguments: '' };
  return [
    delta({ tool_calls: [{ index, id: call.id ?? ids.next(), type: 'function', function: named }] }),
    ...[args.slice(0, half), args.slice(half)]
      .filter((part) => part !== '')
      .map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] })),
  ];
}

/** The answer as one document, for requests with stream: false. */
export function documentOf(answer: ScriptedAnswer, bodyBytes: number, ids: CallIds): string {
  const calls = (answer.calls ?? []).map((call) => ({
    id: call.id ?? ids.next(),
    type: 'function',
    function: { name: call.tool, arguments: argsText(call) },
  }));
  const message = {
    role: 'assistant',
    content: answer.text ?? '',
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return JSON.stringify({
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: answer.finish ?? finishOf(answer) }],
    usage: usageOf(answer, bodyBytes),
  });
}

const argsText = (call: ScriptedCall): string =>
  typeof call.args === 'string' ? call.args : JSON.stringify(call.args);

const finishOf = (answer: ScriptedAnswer): string =>
  (answer.calls ?? []).length > 0 ? 'tool_calls' : 'stop';

function usageOf({ usage, text = '', calls = [] }: ScriptedAnswer, bodyBytes: number) {
  const written = text.length + calls.reduce((sum, call) => sum + argsText(call).length, 0);
  return {
    prompt_tokens: usage?.input ?? Math.ceil(bodyBytes / 4),
    completion_tokens: usage?.output ?? Math.ceil(written / 4),
    prompt_tokens_details: { cached_tokens: usage?.cached ?? 0 },
  };
}

/** The text in at most `count` pieces of about one length. */
function split(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, count)));
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += size) pieces.push(text.slice(from, from + size));
  return pieces;
}
