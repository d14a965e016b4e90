import type { DiffView } from '../shared/protocol';
import { hunksOf } from '../workspace/ledgerHunks';

/** Lines that a sidebar shows of one file; the native diff has the rest. */
const MOST_LINES = 400;

interface Piece {
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

type Shown = DiffView['hunks'][number];

/** The hunks between two texts, to be read only; null: too large, or too different to be worked out in time. */
export function diffView(before: string, after: string): DiffView | null {
  const hunks = hunksOf(Buffer.from(before, 'utf8'), Buffer.from(after, 'utf8'));
  return hunks === null ? null : cut(hunks.map((hunk) => shown(hunk, null)));
}

/**
 * What an agent did to a file, piece by piece, each hunk with the id by which it can be undone alone. null: a piece is no
 * text, or too much of it.
 */
export function spansView(pieces: readonly Piece[], undone: ReadonlySet<string> | 'all'): DiffView | null {
  const hunks: Shown[] = [];
  for (const { before, after } of pieces) {
    const found = hunksOf(before, after);
    if (found === null) return null;
    hunks.push(...found.map((hunk) => shown(hunk, undone)));
  }
  return cut(hunks);
}

/** @param undone null: the hunks are those of what has not been done yet */
function shown(
  { id, oldStart, newStart, lines }: NonNullable<ReturnType<typeof hunksOf>>[number],
  undone: ReadonlySet<string> | 'all' | null,
): Shown {
  return {
    id: undone === null || undone === 'all' ? null : id,
    undone: undone === 'all' || (undone?.has(id) ?? false),
    oldStart,
    newStart,
    lines: lines.map(({ mark, text }) => ({ mark, text: text.replace(/\n$/, '') })),
  };
}

function cut(all: readonly Shown[]): DiffView {
  let left = MOST_LINES;
  let more = 0;
  const counts = { '+': 0, '-': 0, ' ': 0 };
  const hunks: Shown[] = [];
  for (const hunk of all) {
    for (const { mark } of hunk.lines) counts[mark]++;
    const lines = hunk.lines.slice(0, left);
    left -= lines.length;
    more += hunk.lines.length - lines.length;
    if (lines.length > 0) hunks.push({ ...hunk, lines });
  }
  return { hunks, added: counts['+'], removed: counts['-'], cut: more };
}
