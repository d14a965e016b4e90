import type { ModelEnd, ModelMessage } from '../model/port';
import type { RecordedAnswer, RunHost } from './port';
import { settleCalls } from './toolCall';

/** Why the loop gave the run back: it has ended, it is parked, or it was stopped from outside. */
export type LoopEnd = 'ended' | 'parked' | 'gone';

/**
 * One agent's run from its present state to its end or its next park. A fresh run and one that goes on (an answered
 * question, a restart) enter here alike: unfinished calls of the last step are settled first.
 */
export async function runLoop(host: RunHost, signal: AbortSignal): Promise<LoopEnd> {
  const last = host.lastStep();
  if (last !== null) {
    const settled = await settleCalls(host, last.calls, signal);
    if (settled === 'gone') return 'gone';
    if (settled === 'suspended') return park(host);
  }
  if (signal.aborted) return 'gone';
  await host.takeInput();
  const messages = await host.transcript();
  for (;;) {
    if (signal.aborted) return 'gone';
    const verdict = host.checkLimits(estimateTokens(messages, host));
    if (verdict.type === 'end') return end(host, verdict.reason, await lastWords(host), verdict.detail);
    if (verdict.type === 'ask') {
      host.askLimit(verdict);
      return 'parked';
    }
    const step = await takeStep(host, messages, signal);
    if (step !== 'next') return step;
    for (const text of await host.takeInput()) messages.push({ role: 'user', text });
  }
}

async function takeStep(
  host: RunHost,
  messages: ModelMessage[],
  signal: AbortSignal,
): Promise<LoopEnd | 'next'> {
  const began = host.now();
  const answer = await streamAnswer(host, messages, signal);
  // Nothing that the model answers is acted on before all that led to it is durable.
  await host.flushed();
  const usage = host.usage(answer.usage, host.now() - began);
  if (signal.aborted || answer.reason === 'aborted') {
    host.recordAbort(answer.text, usage, null);
    return 'gone';
  }
  if (answer.reason === 'error') {
    host.recordAbort(answer.text, usage, answer.fault.message);
    return end(host, 'error', answer.text, answer.fault.message);
  }
  const recorded: RecordedAnswer = {
    text: answer.text,
    reasoning: answer.reasoning,
    calls: answer.calls,
    usage,
  };
  host.recordStep(recorded);
  if (answer.calls.length === 0) {
    if (answer.reason === 'length') {
      return end(host, 'error', answer.text, "the answer was cut off at the model's output limit");
    }
    return end(host, 'final', answer.text, null);
  }
  messages.push({
    role: 'assistant',
    text: answer.text,
    calls: answer.calls,
    ...(answer.reasoning === '' ? {} : { reasoning: answer.reasoning }),
  });
  const calls = host.lastStep()?.calls ?? [];
  const settled = await settleCalls(host, calls, signal);
  if (settled === 'gone') return 'gone';
  if (settled === 'suspended') return park(host);
  for (const id of calls) messages.push(await toolMessage(host, id));
  return 'next';
}

async function streamAnswer(
  host: RunHost,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): Promise<ModelEnd> {
  host.live({ type: 'thinking' });
  const request = { messages, tools: host.modelTools, cacheKey: host.cacheKey };
  for await (const event of host.model.stream(request, signal)) {
    switch (event.type) {
      case 'text':
        host.live({ type: 'text', delta: event.text });
        break;
      case 'reasoning':
        break;
      case 'call_started':
        host.live({ type: 'tool_writing', tool: event.tool });
        break;
      case 'retry':
        host.live({ type: 'text_end' });
        host.live({
          type: 'retry',
          attempt: event.attempt,
          waitMs: event.waitMs,
          reason: event.fault.message,
        });
        break;
      case 'end':
        host.live({ type: 'text_end' });
        return event;
    }
  }
  // The port promises exactly one end; an adapter that breaks the promise must not look like a finished answer.
  return {
    type: 'end',
    reason: 'error',
    text: '',
    fault: { kind: 'protocol', message: 'the model adapter ended without an answer', retryable: false },
    usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, estimated: true },
  };
}

async function toolMessage(host: RunHost, id: Parameters<RunHost['call']>[0]): Promise<ModelMessage> {
  const call = host.call(id);
  const text = call.phase.status === 'finished' ? await host.read(call.phase.result.text) : '';
  return { role: 'tool', wireId: call.wireId, tool: call.tool, text };
}

function park(host: RunHost): 'parked' {
  host.park();
  return 'parked';
}

function end(
  host: RunHost,
  reason: 'final' | 'steps' | 'budget' | 'error',
  text: string,
  detail: string | null,
): 'ended' {
  host.end(reason, text, detail);
  return 'ended';
}

/** What the agent had last said, for a run that is ended by a limit. */
async function lastWords(host: RunHost): Promise<string> {
  const step = host.lastStep();
  return step === null ? '' : host.read(step.text);
}

const CHARS_PER_TOKEN = 4;

/** Size of the next request, roughly: enough to stop before a limit and never after it. */
function estimateTokens(messages: readonly ModelMessage[], host: RunHost): number {
  let chars = 0;
  for (const message of messages) {
    chars += message.text.length;
    if (message.role === 'assistant') for (const call of message.calls) chars += call.args.length;
  }
  for (const tool of host.modelTools) chars += tool.description.length + 200;
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
