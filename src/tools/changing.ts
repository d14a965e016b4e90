import type { Preview, ToolAnswer, ToolResult, WrittenFiles } from '../runtime/toolPorts';
import type { Answer, PlacedPath, PlannedChange, Subject } from '../workspace/port';
import { errorText, okText } from './defineTool';
import { newRemoteSchema } from './remoteSchema';
import { bytesText, problemAnswer, problemResult } from './wording';

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

/** Several changes as one: what is shown of each begins with its path. */
export function previewOfAll(changes: readonly PlannedChange[]): Preview {
  const [only] = changes;
  if (only !== undefined && changes.length === 1) return previewOf(only);
  const side = (of: 'before' | 'after'): string | null => {
    const parts = changes.flatMap((change) => {
      const text = shownText(change[of]);
      return text === null ? [] : [`──── ${change.path.shown}\n${text}${text.endsWith('\n') ? '' : '\n'}`];
    });
    return parts.length === 0 ? null : parts.join('\n');
  };
  const path = pathsText(changes.map((change) => change.path.shown));
  return { type: 'diff', path, before: side('before'), after: side('after') };
}

const MOST_NAMED = 10;

/** Paths for a person or a model, some of many. */
export function pathsText(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).join(', ');
  const rest = paths.length - MOST_NAMED;
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** What a folder as such touches. */
export const folderSubject = (path: PlacedPath): Subject => ({ type: 'write', path });

/** What the model is told when several files were to be written and it stopped in the middle. */
export function filesResult(files: WrittenFiles, done: string): ToolAnswer {
  const { problem, left } = files;
  if (problem === null) return okText(done);
  const failed = problemResult(problem);
  if (files.done.length === 0) return { type: 'result', result: failed };
  const why = failed.text.replace(' Nothing was written.', '');
  const names = (changes: readonly PlannedChange[]) =>
    changes.length === 0 ? 'nothing' : changes.map((change) => change.path.shown).join(', ');
  return errorText(
    `It stopped in the middle. ${why} Done and standing: ${names(files.done)}. Not done: ${names(left)}. Look at what is there before you go on.`,
  );
}

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
