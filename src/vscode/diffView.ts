import { structuredPatch } from 'diff';
import type { DiffView } from '../shared/protocol';

/** Lines that a sidebar shows of one file; the native diff has the rest. */
const MOST_LINES = 400;
/** Texts longer than this are left to the native diff, which works in its own process. */
const MOST_CHARS = 2_000_000;
/** The extension host may not stand still: after this long there is no diff. Milliseconds. */
const PATIENCE_MS = 100;

/** The hunks between two texts; null: too large, or too different to be worked out in time. */
export function diffView(before: string, after: string): DiffView | null {
  if (before.length + after.length > MOST_CHARS) return null;
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: PATIENCE_MS });
  if (patch === undefined) return null;
  let left = MOST_LINES;
  let cut = 0;
  let added = 0;
  let removed = 0;
  const hunks: DiffView['hunks'][number][] = [];
  for (const hunk of patch.hunks) {
    // "\ No newline at end of file" is no line of either text.
    const lines = hunk.lines.flatMap(readLine);
    added += lines.filter((line) => line.mark === '+').length;
    removed += lines.filter((line) => line.mark === '-').length;
    const shown = lines.slice(0, left);
    left -= shown.length;
    cut += lines.length - shown.length;
    if (shown.length > 0) hunks.push({ oldStart: hunk.oldStart, newStart: hunk.newStart, lines: shown });
  }
  return { hunks, added, removed, cut };
}

type Line = DiffView['hunks'][number]['lines'][number];

function readLine(line: string): Line[] {
  const mark = line.charAt(0);
  return mark === ' ' || mark === '+' || mark === '-' ? [{ mark, text: line.slice(1) }] : [];
}

/** Text of a file's bytes; null: it is none that could be compared by lines. */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
