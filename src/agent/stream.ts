import type { ModelEnd, ModelFault, ModelMessage } from '../model/port';
import type { RunHost } from './port';

/**
 * One answer of the model, as far as it came.
 * @param shown whether its words are shown as the agent's own while they stream
 */
export async function streamAnswer(
  host: RunHost,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
  shown = true,
): Promise<ModelEnd> {
  host.live({ type: shown ? 'thinking' : 'summarising' });
  const request = { messages, tools: host.modelTools, cacheKey: host.cacheKey };
  for await (const event of host.model.stream(request, signal)) {
    switch (event.type) {
      case 'text':
        if (shown) host.live({ type: 'text', delta: event.text });
        else host.heard();
        break;
      case 'reasoning':
        host.heard();
        break;
      case 'call_started':
        if (shown) host.live({ type: 'tool_writing', tool: event.tool });
        break;
      case 'retry':
        host.live({ type: 'text_end' });
        host.live({
          type: 'retry',
          attempt: event.attempt,
          waitMs: event.waitMs,
          reason: reasonOf(event.fault),
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

/** In a line of the tree the status says it: "429". */
const reasonOf = ({ status, message }: ModelFault): string =>
  status === undefined ? message : String(status);
