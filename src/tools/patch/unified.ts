import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import { fail, ok, type Result } from '../../base/result';
import type { FilePatch, FinalBreak, Hunk, HunkLine } from './patch';

const NOWHERE = '/dev/null';
const RANGE = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/u;
const NO_BREAK = /^\\ /u;

/** Reads a unified diff, also git's. The library skips over what it doesn't know; here that is refused. */
export function parseUnified(text: string): Result<readonly FilePatch[], string> {
  const counted = recounted(text.replace(/\n+$/u, '\n').split('\n'));
  if (!counted.ok) return counted;
  let parsed: StructuredPatch[];
  try {
    parsed = parsePatch(counted.value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(`The diff can't be read: ${why}.`);
  }
  const files: FilePatch[] = [];
  for (const part of parsed) {
    const file = filePatch(part);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return files.length === 0 ? fail('The diff is empty.') : ok(files);
}

/**
 * The diff with the counts of its hunks as they really are: models miscount, and what lies beyond a count would be
 * dropped. Each line after a hunk's header must belong to it or begin the next hunk or file.
 */
function recounted(lines: readonly string[]): Result<string, string> {
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (!line.startsWith('@@')) {
      out.push(line);
      at++;
      continue;
    }
    const range = RANGE.exec(line);
    if (range === null) {
      return fail(
        `The diff can't be read at its line ${at + 1} (${JSON.stringify(line.slice(0, 80))}): a hunk begins with "@@ -line,count +line,count @@".`,
      );
    }
    const end = hunkEnd(lines, at + 1);
    const body = lines.slice(at + 1, end).map((each) => (each === '' ? ' ' : each));
    const bad = body.findIndex((each) => !/^[ +\\-]/u.test(each));
    if (bad >= 0) {
      return fail(
        `The diff can't be read at its line ${at + 2 + bad} (${JSON.stringify(body[bad]?.slice(0, 80))}): a line of a hunk begins with " ", "+" or "-".`,
      );
    }
    const count = (marks: string) => body.filter((each) => marks.includes(each[0] ?? '')).length;
    out.push(`@@ -${range[1]},${count(' -')} +${range[2]},${count(' +')} @@${range[3]}`, ...body);
    at = end;
  }
  return ok(out.join('\n'));
}

/** Where the hunk that begins at `from` ends: at the next hunk, the next file, or the end (without empty lines there). */
function hunkEnd(lines: readonly string[], from: number): number {
  let end = from;
  while (end < lines.length && !beginsNext(lines, end)) end++;
  while (end > from && lines[end - 1] === '') end--;
  return end;
}

function beginsNext(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (line.startsWith('@@') || /^(?:diff |Index: )/u.test(line)) return true;
  // A removed line may look like a file's header; only the three lines together are one.
  return (
    line.startsWith('--- ') &&
    lines[at + 1]?.startsWith('+++ ') === true &&
    lines[at + 2]?.startsWith('@@') === true
  );
}

function filePatch(part: StructuredPatch): Result<FilePatch, string> {
  const names = namesOf(part);
  if (names === null) return fail('The diff has a hunk without "--- a/file" and "+++ b/file" before it.');
  const { old, now } = names;
  const path = old === NOWHERE ? now : old;
  if (part.isBinary === true) return fail(`The diff of ${path} is binary; only text can be patched.`);
  if (part.isCopy === true) return fail(`The diff copies ${path}; that is not supported: add the file.`);
  if (changesMode(part)) {
    return fail(`The diff sets the mode of ${path}; a patch can't do that. Leave it out and use chmod.`);
  }
  const hunks = part.hunks.map(hunkOf);
  if (old === NOWHERE || part.isCreate === true) {
    const lines = hunks.flatMap((hunk) => hunk.lines);
    if (lines.some((line) => line.mark !== '+')) {
      return fail(`The diff makes ${now}, yet not all of its lines begin with "+".`);
    }
    const text = lines.map((line) => line.text).join('\n');
    const ends = lines.length > 0 && finalBreak(part.hunks) !== 'without';
    return ok({ type: 'add', path: now, text: ends ? `${text}\n` : text });
  }
  if (now === NOWHERE || part.isDelete === true) return ok({ type: 'delete', path: old, hunks });
  const moveTo = now === old ? null : now;
  if (hunks.length === 0 && moveTo === null) return fail(`The diff changes nothing in ${path}.`);
  return ok({ type: 'update', path: old, moveTo, hunks, finalBreak: finalBreak(part.hunks) });
}

/** Names without git's `a/` and `b/`, which come together or with a side that is nowhere. */
function namesOf(part: StructuredPatch): { readonly old: string; readonly now: string } | null {
  const { oldFileName: old, newFileName: now } = part;
  if (old === undefined || now === undefined || old === '' || now === '') return null;
  const [a, b] = [old.startsWith('a/') || old === NOWHERE, now.startsWith('b/') || now === NOWHERE];
  const bare = (name: string) => (name === NOWHERE ? name : name.slice(2));
  return a && b ? { old: bare(old), now: bare(now) } : { old, now };
}

const changesMode = ({ oldMode, newMode }: StructuredPatch): boolean =>
  newMode !== undefined && newMode !== (oldMode ?? '100644');

function hunkOf({ oldStart, lines }: StructuredPatchHunk): Hunk {
  const kept = lines.filter((line) => !NO_BREAK.test(line));
  return {
    anchors: [],
    line: oldStart,
    atEnd: false,
    lines: kept.map((line) => ({ mark: line[0] as HunkLine['mark'], text: line.slice(1) })),
  };
}

/** What "\ No newline at end of file" says: it belongs to the line before it. */
function finalBreak(hunks: readonly StructuredPatchHunk[]): FinalBreak {
  const lines = hunks.at(-1)?.lines ?? [];
  const marked = lines.flatMap((line, index) =>
    NO_BREAK.test(line) && index > 0 ? [lines[index - 1]?.[0]] : [],
  );
  if (marked.length === 0) return 'keep';
  return marked.some((mark) => mark !== '-') ? 'without' : 'with';
}
