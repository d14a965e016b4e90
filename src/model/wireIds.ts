import type { ModelMessage } from './port';

/**
 * Makes wire ids: nine letters and digits, the form of the strictest server (fault 29), unique within the transcript
 * and the same for the same transcript, so that a replay sends the same bytes.
 */
export function wireIds(messages: readonly ModelMessage[]): () => string {
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.calls) used.add(call.wireId);
  }
  let next = used.size;
  return () => {
    let id = '';
    do id = `c${(next++).toString(36).padStart(8, '0')}`;
    while (used.has(id));
    return id;
  };
}
