import { isCrlf, toLf } from '../lines';
import { nearest } from '../matching';
import type { FinalBreak, Hunk } from './patch';

const BOM = '\ufeff';

export type Patched =
  | {
      readonly type: 'text';
      readonly text: string;
      /** Numbers, from 1, of the first line of each place in the text before. */
      readonly lines: readonly number[];
      /** Hunks, from 1, that fit only apart from spaces. */
      readonly loose: readonly number[];
    }
  | { readonly type: 'problem'; readonly text: string };

/**
 * A text with all of its hunks applied, or why one doesn't fit. A hunk fits where its kept and removed lines stand as
 * they are; apart from spaces only if that is one place. Where several places fit it is refused, unless it tells which
 * is meant: by its line number, by the line before it (`@@`), by the end of the file.
 */
export function patched(before: string, hunks: readonly Hunk[], finalBreak: FinalBreak): Patched {
  const crlf = isCrlf(before);
  const bom = before.startsWith(BOM) ? BOM : '';
  const plain = (crlf ? toLf(before) : before).slice(bom.length);
  const ended = plain === '' || plain.endsWith('\n');
  const old = plain === '' ? [] : (ended ? plain.slice(0, -1) : plain).split('\n');
  const now: string[] = [];
  const lines: number[] = [];
  const loose: number[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const found = placeOf(old, hunk, from);
    if (typeof found === 'string') return { type: 'problem', text: `Hunk ${index + 1} ${found}` };
    now.push(...old.slice(from, found.at), ...replacement(old, hunk, found.at));
    from = found.at + sought(hunk).length;
    lines.push(found.at + 1);
    if (found.loose) loose.push(index + 1);
  }
  now.push(...old.slice(from));
  const ends = finalBreak === 'keep' ? ended : finalBreak === 'with';
  const text = now.length === 0 ? '' : now.join('\n') + (ends ? '\n' : '');
  return { type: 'text', text: bom + (crlf ? text.replaceAll('\n', '\r\n') : text), lines, loose };
}

const sought = (hunk: Hunk): readonly string[] =>
  hunk.lines.filter((line) => line.mark !== '+').map((line) => line.text);

/** Kept lines stay as they are in the file, also where they fit only apart from spaces. */
function replacement(old: readonly string[], hunk: Hunk, at: number): readonly string[] {
  let next = at;
  return hunk.lines.flatMap((line) => {
    if (line.mark === '+') return [line.text];
    const there = old[next++] ?? line.text;
    return line.mark === ' ' ? [there] : [];
  });
}

interface Place {
  readonly at: number;
  readonly loose: boolean;
}

/** Equal as they are, apart from spaces at the end, apart from spaces at both ends. */
const LIKENESS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** Where a hunk fits from a line on; a text says why nowhere. */
function placeOf(old: readonly string[], hunk: Hunk, from: number): Place | string {
  const anchored = anchorOf(old, hunk.anchors, from);
  if (typeof anchored === 'string') return anchored;
  const block = sought(hunk);
  if (block.length === 0) return insertionOf(old, hunk, anchored);
  for (const [level, like] of LIKENESS.entries()) {
    const wanted = block.map(like);
    const places = placesIn(old.map(like), wanted, anchored.at).filter(
      (at) => !hunk.atEnd || at + block.length === old.length,
    );
    const only = level === 0 ? meantOf(places, hunk, anchored) : places.length === 1 ? places[0] : undefined;
    if (only !== undefined) return { at: only, loose: level > 0 };
    if (places.length > 1) {
      return `fits at several places: lines ${numbers(places)}. Give more of the lines around it, or an "@@" line with the line that stands before it.`;
    }
  }
  const rest = from === 0 ? '' : ` after line ${from} (hunks come in the order of the file)`;
  const where = hunk.atEnd ? ' at the end of the file' : rest;
  return `doesn't fit: its lines don't occur${where}. ${nearest(old.join('\n'), block.join('\n'))}`;
}

/** The one place, or that of several which the hunk tells; undefined: none, or it can't be told. */
function meantOf(places: readonly number[], hunk: Hunk, anchored: Anchored): number | undefined {
  if (places.length <= 1 || anchored.named) return places[0];
  return hunk.line !== null && places.includes(hunk.line - 1) ? hunk.line - 1 : undefined;
}

interface Anchored {
  /** The first line at which the hunk may begin. */
  readonly at: number;
  /** An `@@` line names the place. */
  readonly named: boolean;
}

function anchorOf(old: readonly string[], anchors: readonly string[], from: number): Anchored | string {
  let at = from;
  for (const [index, anchor] of anchors.entries()) {
    const exact = placesIn(old, [anchor], at);
    const places =
      exact.length > 0
        ? exact
        : placesIn(
            old.map((line) => line.trim()),
            [anchor.trim()],
            at,
          );
    const [first] = places;
    const shown = JSON.stringify(anchor.slice(0, 80));
    if (first === undefined) {
      return `doesn't fit: its "@@" line ${shown} doesn't occur${at === 0 ? '' : ` after line ${at}`}. An "@@" line is a whole line of the file.`;
    }
    // The first one after the line that stands around it.
    if (places.length > 1 && index === 0) {
      return `fits at several places: its "@@" line ${shown} is at lines ${numbers(places)}. Take another line, or put the one around it before it.`;
    }
    at = first;
  }
  return { at, named: anchors.length > 0 };
}

/** A hunk that only adds lines: it must say where. */
function insertionOf(old: readonly string[], hunk: Hunk, anchored: Anchored): Place | string {
  if (hunk.atEnd || old.length === 0) return { at: old.length, loose: false };
  if (anchored.named) return { at: anchored.at + 1, loose: false };
  return 'only adds lines and doesn\'t say where: add a kept line (" ") before or after them.';
}

function placesIn(lines: readonly string[], block: readonly string[], from: number): readonly number[] {
  const places: number[] = [];
  for (let at = from; at + block.length <= lines.length; at++) {
    if (block.every((line, index) => lines[at + index] === line)) places.push(at);
  }
  return places;
}

const numbers = (places: readonly number[]): string =>
  places
    .slice(0, 20)
    .map((at) => at + 1)
    .join(', ');
