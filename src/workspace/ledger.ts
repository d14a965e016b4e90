import { diffArrays } from 'diff';
import { diff3Merge } from 'node-diff3';
import { fail, ok, type Result } from '../base/result';
import { linesOf, textOf } from './ledgerText';
import { withinTime } from './withinTime';

/** How long line counting may take, ms; beyond it the counts are an upper bound. */
const DIFF_MS = 200;
/** A merge that takes longer, ms, is refused (B19). */
const MERGE_MS = 250;

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/**
 * Lines that a change adds and removes. Bytes that aren't text count nothing; texts that differ too much to be
 * compared in time count whole.
 */
export function countLines(before: Uint8Array | null, after: Uint8Array | null): LineCounts {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null) return { added: 0, removed: 0 };
  const [oldLines, newLines] = [linesOf(old), linesOf(now)];
  if (oldLines.length === 0 || newLines.length === 0) {
    return { added: newLines.length, removed: oldLines.length };
  }
  const parts = diffArrays(oldLines, newLines, { timeout: DIFF_MS });
  if (parts === undefined) return { added: newLines.length, removed: oldLines.length };
  let [added, removed] = [0, 0];
  for (const part of parts) {
    if (part.added) added += part.count;
    else if (part.removed) removed += part.count;
  }
  return { added, removed };
}

/**
 * What the file holds now without one earlier change: a three-way merge with the change's after as the base, its
 * before and the present content as the sides. null is "no file", in and out. `conflict`: what came since lies in the
 * same places, or the change made or removed the file and something came since. `binary`: changed since and not text,
 * or too long to be merged in time. It refuses instead of guessing; nothing is written here.
 */
export function withoutChange(
  before: Uint8Array | null,
  after: Uint8Array | null,
  current: Uint8Array | null,
): Result<Uint8Array | null, 'conflict' | 'binary'> {
  if (isSame(current, after)) return ok(before);
  // A file that was made or removed has no lines in common with what others did to it.
  if (before === null || after === null || current === null) return fail('conflict');
  const [base, wanted, mine] = [textOf(after), textOf(before), textOf(current)];
  if (base === null || wanted === null || mine === null) return fail('binary');
  const merged = mergeTexts(base, mine, wanted);
  if (merged.type === 'merged') return ok(Buffer.from(merged.text, 'utf8'));
  return fail(merged.type);
}

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : Buffer.compare(a, b) === 0;

type Merge =
  | { readonly type: 'merged'; readonly text: string }
  | { readonly type: 'conflict' }
  /** Too long to be merged in time. */
  | { readonly type: 'binary' };

/**
 * Three-way merge by lines. Line ends are made alike only if each text has one kind of them, and come back as `mine`
 * has them; otherwise they count as part of their lines.
 */
export function mergeTexts(base: string, mine: string, theirs: string): Merge {
  const kinds = [base, mine, theirs].map(lineEnd);
  const alike = kinds.every((kind) => kind !== 'mixed');
  const plain = (text: string): string => (alike ? text.replaceAll('\r\n', '\n') : text);
  const [o, a, b] = [base, mine, theirs].map((text) => linesOf(plain(text)));
  if (o === undefined || a === undefined || b === undefined) return { type: 'conflict' };
  const regions = withinTime(MERGE_MS, () => diff3Merge(a, o, b, { excludeFalseConflicts: true }));
  if (regions === null) return { type: 'binary' };
  let text = '';
  for (const region of regions.value) {
    if (region.ok === undefined) return { type: 'conflict' };
    text += region.ok.join('');
  }
  const end = kinds[1] === 'none' ? kinds[2] : kinds[1];
  return { type: 'merged', text: alike && end === 'crlf' ? text.replaceAll('\n', '\r\n') : text };
}

function lineEnd(text: string): 'lf' | 'crlf' | 'none' | 'mixed' {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  if (all === 0) return 'none';
  return crlf === 0 ? 'lf' : crlf === all ? 'crlf' : 'mixed';
}
