import { values } from '../../base/table';
import { agentOf, deliveryOf, leadOf } from '../lookup';
import type { Delivery, Message, State } from '../state';
import type { Text } from '../text';
import { say } from '../texts';
import { quoted } from './quoted';

/** What a document needs beside the state: whole texts, and moments (ms) as the reader words them. */
export interface DocumentParts {
  readonly read: (text: Text) => Promise<string>;
  readonly time: (at: number) => string;
}

/** The conversation and the room as Markdown: every message whole, with what became of it. */
export async function roomDocument(state: State, parts: DocumentParts): Promise<string> {
  const sections = [`# ${state.session?.title ?? say('head.untitled')}`];
  for (const message of values(state.messages)) sections.push(await messageDocument(state, message, parts));
  return `${sections.join('\n\n')}\n`;
}

/** One message as Markdown: who, to whom, when, its text whole, and its receipts. */
export async function messageDocument(
  state: State,
  message: Message,
  { read, time }: DocumentParts,
): Promise<string> {
  const number = message.n === null ? '' : `#${message.n} `;
  const head = `## ${number}${fromOf(state, message)} → ${toOf(state, message)} · ${time(message.at)}`;
  const receipts = message.deliveries.flatMap((id) => {
    const delivery = deliveryOf(state, id);
    return delivery === undefined ? [] : [`- ${receiptOf(state, delivery, time)}`];
  });
  // The text is Markdown itself; quoted, its headings can't be taken for those of the document.
  return [head, quoted(await read(message.text)), ...(receipts.length > 0 ? [receipts.join('\n')] : [])].join(
    '\n\n',
  );
}

const fromOf = (state: State, { from, fromName }: Message): string => {
  if (from.type === 'person') return say('who.you');
  return from.type === 'agent' ? (agentOf(state, from.id)?.name ?? fromName) : fromName;
};

function toOf(state: State, { to, kind }: Message): string {
  if (kind === 'answer') return say('who.you');
  return to.length === 0 ? (leadOf(state)?.name ?? '') : to.join(', ');
}

function receiptOf(state: State, { to, phase }: Delivery, time: (at: number) => string): string {
  const name = agentOf(state, to)?.name ?? to;
  switch (phase.status) {
    case 'pending':
      return say('doc.pending', { name });
    case 'delivered':
      return say('doc.delivered', { name, time: time(phase.at) });
    case 'processed':
      return say('doc.processed', { name, time: time(phase.at) });
    case 'dropped':
      return say('doc.dropped', { name, time: time(phase.at) });
  }
}
