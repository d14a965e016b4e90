import type { EventRow } from './historyPort';

/** What of a posted message goes into its tables. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly n: number | null;
  readonly fromName: string;
  readonly kind: string;
  readonly thread: string | null;
  readonly text: { readonly inline: string } | { readonly blob: string; readonly head: string };
}

/**
 * The rows of one journal record. The shape is looked at by hand and leniently: a row is only for looking things up,
 * and a record of an older or newer shape must not keep the rest from being found.
 */
export function rowsOf(seq: number, json: string): { event: EventRow; message: MessageRow | null } {
  const event = asObject(parse(json));
  const type = asString(event['type']) ?? '';
  const posted = type === 'message.posted' ? asObject(event['message']) : {};
  const agent = asString(event['agentId']) ?? asString(asObject(posted['from'])['id']);
  const message = messageRow(seq, posted);
  return { event: { seq, agent, type, json }, message };
}

function messageRow(seq: number, message: Record<string, unknown>): MessageRow | null {
  const id = asString(message['id']);
  if (id === null) return null;
  const text = asObject(message['text']);
  const blob = asString(text['blob']);
  return {
    seq,
    id,
    n: typeof message['n'] === 'number' ? message['n'] : null,
    fromName: asString(message['fromName']) ?? '',
    kind: asString(message['kind']) ?? '',
    thread: asString(message['thread']),
    text:
      blob === null ? { inline: asString(text['text']) ?? '' } : { blob, head: asString(text['head']) ?? '' },
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const asString = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
