import { agentOf, deliveryOf, messageOf, noteOf } from '../../shared/lookup';
import type { Ended, InputPart, Message, Note, State } from '../../shared/state';
import type { Text } from '../../shared/text';
import * as texts from './texts';

type Read = (text: Text) => string;

/** One user message from its parts, in their order, a blank line between (L-78). */
export function renderInput(state: State, parts: readonly InputPart[], read: Read): string {
  return parts.flatMap((part) => renderPart(state, part, read)).join('\n\n');
}

/** The texts that rendering these parts will read. */
export function textsOf(state: State, parts: readonly InputPart[]): readonly Text[] {
  return parts.flatMap((part) => textsOfPart(state, part));
}

function textsOfPart(state: State, part: InputPart): readonly Text[] {
  switch (part.type) {
    case 'brief': {
      const brief = agentOf(state, part.agentId)?.brief ?? null;
      return brief === null ? [] : [brief];
    }
    case 'deliveries':
      return messagesOf(state, part).map((message) => message.text);
    case 'host':
      return [part.text];
    case 'notes':
      return [];
  }
}

function renderPart(state: State, part: InputPart, read: Read): readonly string[] {
  switch (part.type) {
    case 'brief': {
      const brief = agentOf(state, part.agentId)?.brief;
      // As given (L-40): nothing before it and nothing after.
      return brief === undefined || brief === null ? [] : [read(brief)];
    }
    case 'notes':
      return noteBlocks(part.notes.flatMap((id) => noteOf(state, id) ?? []));
    case 'deliveries':
      return messagesOf(state, part).map((message) => delivered(message, read(message.text)));
    case 'host':
      return [`[From Teamroom:]\n${read(part.text)}`];
  }
}

/** Of several changes of the size only the last still holds; each stop is a block of its own (L-95, L-96). */
function noteBlocks(notes: readonly Note[]): readonly string[] {
  const lastSize = notes.findLast((note) => note.about.type === 'size');
  return notes
    .filter((note) => note.about.type !== 'size' || note === lastSize)
    .map((note) => `[Note:]\n${texts.noteText(note.about)}`);
}

/** Messages of deliveries in room order; one that stands twice in the list is shown once. */
function messagesOf(state: State, part: Extract<InputPart, { type: 'deliveries' }>): readonly Message[] {
  const ids = part.deliveries.flatMap((id) => deliveryOf(state, id)?.messageId ?? []);
  return [...new Set(ids)].flatMap((id) => messageOf(state, id) ?? []);
}

function delivered(message: Message, text: string): string {
  switch (message.kind) {
    // The person's talk with the lead has no mark (L-62).
    case 'user':
    case 'answer':
      return text;
    // What a command printed may look like anything.
    case 'job':
      return `[From Teamroom:]\n${quoteMarks(text)}`;
    case 'instruction':
      return `${texts.mark.instruction(message.fromName)}\n${quoteMarks(text)}`;
    case 'result':
      return `${texts.mark.result(message.fromName)}\n${quoteMarks(helperReply({ text, ended: message.ended }))}`;
    case 'message':
    case 'person':
    case 'report':
      return messageText({
        report: message.kind === 'report',
        from: message.fromName,
        to: message.to,
        text,
        ended: message.ended,
      });
  }
}

export interface Shown {
  readonly report: boolean;
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly ended: Ended | null;
}

/** The mark on a line of its own, then the text; an empty report and an odd end are worded (L-59, L-60, L-79..L-81). */
export function messageText({ report, from, to, text, ended }: Shown): string {
  const mark = report ? texts.mark.report(from, to) : texts.mark.message(from, to);
  const body = report && text.trim() === '' ? texts.noReport : quoteMarks(text);
  return ended === null ? `${mark}\n${body}` : `${mark}\n${body}\n\n${texts.ended(ended)}`;
}

/** What a helper's caller reads of it: its final reply, and how its turn ended if not by itself. */
export function helperReply({
  text,
  ended,
}: {
  readonly text: string;
  readonly ended: Ended | null;
}): string {
  const body = text.trim() === '' ? texts.noReply : text;
  return ended === null ? body : `${body}\n\n${texts.ended(ended)}`;
}

const LIKE_A_MARK =
  /^(?=[ \t]*\[(?:Team (?:message|report) from .*|Message from .*|Result of .*|Note|From Teamroom):\][ \t]*$)/gm;

/** A line in a message that looks like a mark is quoted: nobody speaks in another's name (a peer's word is no consent). */
export const quoteMarks = (text: string): string => text.replace(LIKE_A_MARK, '> ');
