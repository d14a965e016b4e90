import type { Preview, ToolAnswer, ToolResult } from '../runtime/toolPorts';
import type { Answer, PlacedPath, PlannedChange, Subject } from '../workspace/port';
import { okText } from './defineTool';
import { newRemoteSchema } from './remoteSchema';
import { bytesText, problemAnswer } from './wording';

const strict = new TextDecoder('utf-8', { fatal: true });

/** The text of a file's content for a person; binary content is named, never shown as text. */
function shownText(bytes: Uint8Array | null): string | null {
  if (bytes === null) return null;
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return `[${bytesText(bytes.length)} that are not UTF-8 text]`;
    throw error;
  }
}

export const previewOf = (change: PlannedChange): Preview => ({
  type: 'diff',
  path: change.path.shown,
  before: shownText(change.before),
  after: shownText(change.after),
});

/** What a change touches, as permission judges it. */
export function subjectOf(change: PlannedChange): Subject {
  const url = newRemoteSchema(shownText(change.before), shownText(change.after));
  return { type: 'write', path: change.path, ...(url === null ? {} : { remoteSchema: url }) };
}

export const sameContent = (path: string): ToolResult => ({
  status: 'ok',
  text: `${path} has exactly this content already; nothing was written.`,
});

/** What the model is told after a write: that it was done, or why not. */
export const changeResult = (done: Answer<PlacedPath>, text: string): ToolAnswer =>
  done.ok ? okText(text) : problemAnswer(done.error);
