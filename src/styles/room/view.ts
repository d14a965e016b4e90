import type { RoomView } from '../../team/commands';
import { messageText } from './render';
import * as texts from './texts';

/** What `team_read` answers (L-64, L-65). */
export function viewText(view: RoomView): string {
  const parts = [`The team:\n${view.tree.map(treeLine).join('\n')}\nIt is ${time(view.at)} now.`];
  if (view.messages.length === 0) parts.push('No further messages that you may see.');
  else parts.push(`Messages in the room:\n\n${view.messages.map(messageBlock).join('\n\n')}`);
  if (view.nextSince !== null) parts.push(texts.readOn(view.nextSince));
  return parts.join('\n\n');
}

function treeLine(row: RoomView['tree'][number]): string {
  const facts = [
    `role: ${oneLine(row.role)}`,
    ...(row.manager === null ? [] : [`manager: ${row.manager}`]),
    `state: ${row.state}${row.asksPerson ? ', waits for the person to answer' : ''}`,
    `model: ${row.model}`,
    `last activity: ${time(row.lastActivityAt)}`,
  ];
  return `${'  '.repeat(row.depth)}- ${row.name} (${facts.join('; ')})`;
}

function messageBlock(message: RoomView['messages'][number]): string {
  const { n, at, from, to, report, text, ended } = message;
  return `#${n}, ${time(at)}\n${messageText({ report, from, to, text, ended })}`;
}

/** A role is one line of the tree, whatever it was given as: no line of it can pass for another's. */
const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** Seconds are enough for a reader. */
const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
