import { never } from '../base/never';
import type { Prepared, ToolAnswer, ToolResult } from '../runtime/toolPorts';
import type { PathProblem } from '../workspace/port';

/** A byte count as persons read it. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** What a model is told about a path that can't be used, with what it can do about it. */
export function problemText(problem: PathProblem): string {
  switch (problem.code) {
    case 'outside':
      return `"${problem.path}" lies outside the workspace (or is reached by a link that leads out of it). Only paths inside the workspace can be used.`;
    case 'invalid':
      return `"${problem.path}" can't be used: ${problem.why}.`;
    case 'no_folder':
      return `"${problem.path}" doesn't begin with a workspace folder's name. The folders are: ${problem.folders.join(', ')}. Write "<folder>/<path>".`;
    case 'denied':
      return `"${problem.path}" is denied by ${problem.by}. The person doesn't want it to be read or changed; go on without it.`;
    case 'missing':
      return `"${problem.path}" doesn't exist.`;
    case 'not_a_file':
      return problem.what === 'a folder'
        ? `"${problem.path}" is a folder, not a file. Use list to see what is in it.`
        : `"${problem.path}" is ${problem.what}, not a regular file, and can't be read or written.`;
    case 'not_a_folder':
      return `"${problem.path}" isn't a folder, or a part of the path isn't one.`;
    case 'exists':
      return `"${problem.path}" exists already.`;
    case 'workspace_folder':
      return `"${problem.path}" is an open folder of the workspace, or holds one; it can't be moved or removed.`;
    case 'into_itself':
      return `"${problem.path}" lies inside what is to be moved. Nothing was moved.`;
    case 'too_many':
      return `"${problem.path}" holds more than ${problem.limit} files or folders: that is more than can be moved or removed here at once, since all of them are kept for undo. Use a command, or take parts of it.`;
    case 'too_much':
      return `"${problem.path}" holds more than ${bytesText(problem.limit)}: that is more than can be moved or removed here at once, since all of it is kept for undo. Use a command, or take parts of it.`;
    case 'too_large':
      return `"${problem.path}" has ${bytesText(problem.bytes)}; the limit is ${bytesText(problem.limit)}. Use grep to find the place, or a command (sed -n '100,200p') to see a part.`;
    case 'binary':
      return `"${problem.path}" is a binary file of ${bytesText(problem.bytes)}, not text: it can't be read, edited or replaced here. Look at it or change it with a command; to put text in its place, remove it with a command first.`;
    case 'not_utf8':
      return `"${problem.path}" isn't UTF-8 text (${bytesText(problem.bytes)}): it can't be read, edited or replaced here without damaging it. Look at it or change it with a command; if it is to become UTF-8, convert it with a command (iconv) and read it then.`;
    case 'unsaved':
      return `"${problem.path}" has unsaved changes in the person's editor. It can't be read or written until they are saved or discarded. Work on something else, or say that you need it.`;
    case 'stale':
      return `"${problem.path}" was changed by ${problem.by} since you last read it. Nothing was written. Read it again and make your change to what is there now.`;
    case 'unread':
      return `"${problem.path}" exists and you haven't read it yet, or not since the last restart. Nothing was written. Read it first.`;
    case 'leased':
      return `"${problem.path}" was written by ${problem.to}, whose turn still goes on; until it ends nobody else writes this file. Nothing was written. Work on something else${problem.elsewhere ? ', or say that you need it' : ` or send ${problem.to} a message`}.`;
    case 'io':
      return `"${problem.path}": ${problem.why}.`;
    default:
      return never(problem);
  }
}

/** Whether a rule of ours says no, as opposed to what couldn't be done (X24: only the latter counts as an error). */
function isRefusal(problem: PathProblem): boolean {
  return ['outside', 'denied', 'unsaved', 'stale', 'unread', 'leased'].includes(problem.code);
}

export const problemResult = (problem: PathProblem, more = ''): ToolResult => ({
  status: isRefusal(problem) ? 'refused' : 'error',
  text: more === '' ? problemText(problem) : `${problemText(problem)} ${more}`,
});

/** Of moving and removing: what can't be done here can be by a command. */
export function treeProblem(problem: PathProblem, more = ''): ToolResult {
  const other = problem.code === 'not_a_file' || problem.code === 'too_large';
  if (!other) return problemResult(problem, more);
  const what =
    problem.code === 'not_a_file' ? `is ${problem.what}, no regular file` : `has ${bytesText(problem.bytes)}`;
  return {
    status: 'error',
    text: `"${problem.path}" ${what}: it can't be kept for undo, so it can't be moved or removed here. Nothing was done. Use a command.`,
  };
}

export const problemAnswer = (problem: PathProblem, more = ''): ToolAnswer => ({
  type: 'result',
  result: problemResult(problem, more),
});

/** Ends a call while it is worked out. */
export const ended = (result: ToolResult): Extract<Prepared<never>, { type: 'answer' }> => ({
  type: 'answer',
  result,
});

export const endedBy = (problem: PathProblem): Extract<Prepared<never>, { type: 'answer' }> =>
  ended(problemResult(problem));
