import { numbered } from './lines';

const MOST_COMPARED_LINES = 20_000;
const LONGEST_SHOWN = 12;
const LEAST_LIKENESS = 0.5;

/** Where a text occurs, without overlaps. */
export function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/**
 * For an edit that matches nothing: the place that was probably meant. First the same lines with other spaces, then
 * the line that is most like the first one of the wanted text.
 */
export function nearest(text: string, wanted: string): string {
  const lines = text.split('\n');
  if (lines.length > MOST_COMPARED_LINES) return 'Read the place again and copy it exactly.';
  const block = wanted.split('\n');
  const spaced = blockIgnoringSpaces(lines, block);
  if (spaced !== null) {
    return `The same text with other spaces is at line ${spaced.first}; copy it exactly:\n${numbered(spaced.lines.slice(0, LONGEST_SHOWN), spaced.first)}`;
  }
  const line = mostLike(lines, block.find((each) => each.trim() !== '') ?? '');
  if (line === null) return 'Nothing like it is in the file; read it again.';
  const shown = lines.slice(line, line + Math.min(block.length, LONGEST_SHOWN));
  return `The nearest place is at line ${line + 1}:\n${numbered(shown, line + 1)}`;
}

const squeezed = (line: string): string => line.trim().replace(/\s+/gu, ' ');

function blockIgnoringSpaces(
  lines: readonly string[],
  block: readonly string[],
): { readonly first: number; readonly lines: readonly string[] } | null {
  const wanted = block.map(squeezed);
  while (wanted.length > 0 && wanted[0] === '') wanted.shift();
  while (wanted.at(-1) === '') wanted.pop();
  if (wanted.length === 0) return null;
  const have = lines.map(squeezed);
  for (let at = 0; at + wanted.length <= have.length; at++) {
    if (wanted.every((line, index) => have[at + index] === line)) {
      return { first: at + 1, lines: lines.slice(at, at + wanted.length) };
    }
  }
  return null;
}

function mostLike(lines: readonly string[], wanted: string): number | null {
  const pairs = pairsOf(squeezed(wanted));
  let best: { readonly line: number; readonly likeness: number } | null = null;
  for (const [line, text] of lines.entries()) {
    const likeness = likenessOf(pairs, pairsOf(squeezed(text)));
    if (likeness >= LEAST_LIKENESS && (best === null || likeness > best.likeness)) best = { line, likeness };
  }
  return best?.line ?? null;
}

/** Pairs of neighbouring characters. */
function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < Math.min(text.length, 500); i++) pairs.add(text.slice(i, i + 2));
  return pairs;
}

/** Share of common pairs, 0 to 1 (Dice). */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / (a.size + b.size);
}
