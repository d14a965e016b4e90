import { fail, ok, type Result } from '../../base/result';
import { toLf } from '../lines';
import { type FilePatch, type Hunk, type HunkLine, isChange } from './patch';
import { parseUnified } from './unified';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const HEADER = /^\*\*\* (Add|Update|Delete) File: *(.*?) *$/u;
const MOVE = /^\*\*\* Move to: *(.*?) *$/u;
const END_OF_FILE = '*** End of File';
const FENCE = /^```[^\n`]*\n([\s\S]*?)\n```\s*$/u;

/** Reads a patch of either form; the problem is worded for the model. Nothing is ever skipped over. */
export function parsePatchText(text: string): Result<readonly FilePatch[], string> {
  const plain = toLf(text).replace(/^\ufeff/u, '');
  const fenced = FENCE.exec(plain.trim());
  const body = fenced?.[1] ?? plain;
  const first = body.trimStart().split('\n', 1)[0]?.trimEnd() ?? '';
  if (first === BEGIN) return parseSections(body.trim().split('\n'));
  if (/^(?:diff |--- |Index: |={20,}$)/u.test(first)) return parseUnified(body);
  return fail(
    `A patch begins with "${BEGIN}" or is a unified diff ("--- a/file", "+++ b/file", "@@ -1,3 +1,4 @@"); this one begins with ${JSON.stringify(first.slice(0, 80))}.`,
  );
}

/** Reads lines one after another, and tells where it is in what it refuses. */
class Lines {
  readonly #lines: readonly string[];
  #at: number;

  constructor(lines: readonly string[], from: number) {
    this.#lines = lines;
    this.#at = from;
  }

  peek(): string | undefined {
    return this.#lines[this.#at];
  }

  take(): string {
    return this.#lines[this.#at++] ?? '';
  }

  problem(what: string): string {
    const line = this.#lines[this.#at];
    const shown = line === undefined ? 'the end' : JSON.stringify(line.slice(0, 80));
    return `The patch can't be read at its line ${this.#at + 1} (${shown}): ${what}.`;
  }
}

function parseSections(all: readonly string[]): Result<readonly FilePatch[], string> {
  if (all.at(-1)?.trimEnd() !== END) {
    return fail(`The patch doesn't end with "${END}": it may have been cut off. Send it again, complete.`);
  }
  const lines = new Lines(all.slice(0, -1), 1);
  const files: FilePatch[] = [];
  while (lines.peek() !== undefined) {
    if (lines.peek()?.trim() === '') {
      lines.take();
      continue;
    }
    const file = section(lines);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return files.length === 0 ? fail('The patch is empty.') : ok(files);
}

function section(lines: Lines): Result<FilePatch, string> {
  const header = HEADER.exec(lines.peek() ?? '');
  const path = header?.[2] ?? '';
  if (header === null || path === '') {
    return fail(
      lines.problem('expected "*** Add File: path", "*** Update File: path" or "*** Delete File: path"'),
    );
  }
  lines.take();
  if (header[1] === 'Delete') return ok({ type: 'delete', path, hunks: null });
  return header[1] === 'Add' ? added(lines, path) : updated(lines, path);
}

const endsSection = (line: string | undefined): boolean => line === undefined || HEADER.test(line);

function added(lines: Lines, path: string): Result<FilePatch, string> {
  const content: string[] = [];
  while (!endsSection(lines.peek())) {
    const line = lines.peek() ?? '';
    if (line.startsWith('+')) content.push(line.slice(1));
    else if (line.trim() !== '') return fail(lines.problem('every line of a new file begins with "+"'));
    lines.take();
  }
  return ok({ type: 'add', path, text: content.map((line) => `${line}\n`).join('') });
}

function updated(lines: Lines, path: string): Result<FilePatch, string> {
  const moveTo = MOVE.exec(lines.peek() ?? '')?.[1] ?? null;
  if (moveTo === '') return fail(lines.problem('"*** Move to:" needs a path'));
  if (moveTo !== null) lines.take();
  const hunks: Hunk[] = [];
  while (!endsSection(lines.peek())) {
    if (lines.peek()?.trim() === '' && hunks.length === 0) {
      lines.take();
      continue;
    }
    const hunk = sectionHunk(lines);
    if (!hunk.ok) return hunk;
    hunks.push(hunk.value);
  }
  if (hunks.length === 0 && moveTo === null)
    return fail(lines.problem(`there is no change for ${path} before it`));
  return ok({ type: 'update', path, moveTo, hunks, finalBreak: 'keep' });
}

function sectionHunk(lines: Lines): Result<Hunk, string> {
  const anchors: string[] = [];
  while (lines.peek()?.startsWith('@@') === true) {
    const anchor = (lines.peek() ?? '').slice(2).replace(/ @@\s*$/u, '');
    // Numbers, as a unified diff has them, are no anchor here: models get them wrong.
    if (anchor.trim() !== '' && !/^ -\d+(?:,\d+)? \+\d+(?:,\d+)?$/u.test(anchor)) {
      anchors.push(anchor.replace(/^ /u, ''));
    }
    lines.take();
  }
  const read: HunkLine[] = [];
  let atEnd = false;
  while (!endsSection(lines.peek()) && lines.peek()?.startsWith('@@') !== true && !atEnd) {
    const line = lines.peek() ?? '';
    const parsed = hunkLine(line);
    if (line.trimEnd() === END_OF_FILE) atEnd = true;
    else if (parsed === null) {
      return fail(lines.problem('a line of a hunk begins with " ", "+" or "-"'));
    } else read.push(parsed);
    lines.take();
  }
  const kept = withoutGap(read);
  if (!kept.some(isChange)) return fail(lines.problem('the hunk before it changes nothing'));
  return ok({ anchors, line: null, atEnd, lines: kept });
}

/** An empty line stands for an empty line that is kept: editors and models drop the space. null: no line of a hunk. */
export function hunkLine(line: string): HunkLine | null {
  const mark = line === '' ? ' ' : line[0];
  return mark === ' ' || mark === '+' || mark === '-' ? { mark, text: line.slice(1) } : null;
}

/** Without the empty lines that separate it from what follows. */
function withoutGap(lines: readonly HunkLine[]): readonly HunkLine[] {
  const last = lines.findLastIndex((line) => line.mark !== ' ' || line.text !== '');
  return lines.slice(0, last + 1);
}
