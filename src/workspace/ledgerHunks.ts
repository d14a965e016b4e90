import { createHash } from 'node:crypto';
import { diffArrays } from 'diff';
import { linesOf, textOf } from './ledgerText';

/** One place of a change with its surroundings. */
export interface Hunk {
  /** Bound to both contents and to the place among their hunks. */
  readonly id: string;
  /** From 1, as diffs count. */
  readonly oldStart: number;
  readonly newStart: number;
  /** With their ends. */
  readonly lines: readonly HunkLine[];
}

export interface HunkLine {
  readonly mark: ' ' | '+' | '-';
  readonly text: string;
}

const CONTEXT = 3;
/** How long comparing may take, ms: the host may not stand still. */
const PATIENCE_MS = 100;
/** Longer texts are not compared by hunks. Characters. */
const MOST_CHARS = 2_000_000;

/** null: not text, too long, or too different to be compared in time. */
export function hunksOf(before: Uint8Array | null, after: Uint8Array | null): readonly Hunk[] | null {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null || old.length + now.length > MOST_CHARS) return null;
  const lines = compare(linesOf(old), linesOf(now));
  if (lines === null) return null;
  const seed = createHash('sha256')
    .update(before ?? '')
    .update('\0')
    .update(after ?? '')
    .digest('hex');
  return grouped(lines).map((hunk, index) => ({ ...hunk, id: `${seed.slice(0, 32)}-${index}` }));
}

/**
 * What the file would be after the change if this one hunk of it had not been: the content to merge against.
 * null: there is no such hunk between these contents.
 */
export function withoutHunk(
  before: Uint8Array | null,
  after: Uint8Array | null,
  id: string,
): Uint8Array | null {
  const now = textOf(after);
  const hunk = hunksOf(before, after)?.find((each) => each.id === id);
  if (now === null || hunk === undefined) return null;
  const own = linesOf(now);
  const length = hunk.lines.filter((line) => line.mark !== '+').length;
  const replaced = hunk.lines.filter((line) => line.mark !== '-').length;
  const old = hunk.lines.flatMap((line) => (line.mark === '+' ? [] : [line.text]));
  const start = replaced === 0 ? hunk.newStart : hunk.newStart - 1;
  const text = [...own.slice(0, start), ...old.slice(0, length), ...own.slice(start + replaced)].join('');
  return Buffer.from(text, 'utf8');
}

function compare(old: readonly string[], now: readonly string[]): HunkLine[] | null {
  const parts = diffArrays([...old], [...now], { timeout: PATIENCE_MS });
  if (parts === undefined) return null;
  return parts.flatMap((part) => {
    const mark = part.added ? '+' : part.removed ? '-' : ' ';
    return part.value.map((text): HunkLine => ({ mark, text }));
  });
}

type Place = Omit<Hunk, 'id'>;

function grouped(lines: readonly HunkLine[]): Place[] {
  const changed = lines.flatMap((line, index) => (line.mark === ' ' ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - CONTEXT <= last.to + CONTEXT) last.to = index + 1;
    else ranges.push({ from: index, to: index + 1 });
  }
  return ranges.map(({ from, to }) =>
    placed(lines, Math.max(0, from - CONTEXT), Math.min(lines.length, to + CONTEXT)),
  );
}

function placed(lines: readonly HunkLine[], from: number, to: number): Place {
  const before = lines.slice(0, from);
  const inside = lines.slice(from, to);
  const start = (mark: '+' | '-') => {
    const above = before.filter((line) => line.mark !== mark).length;
    // Where a side has no line in the hunk, diffs name the line above it.
    return inside.some((line) => line.mark !== mark) ? above + 1 : above;
  };
  return { oldStart: start('+'), newStart: start('-'), lines: inside };
}
