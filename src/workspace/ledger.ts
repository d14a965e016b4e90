import { diffArrays } from 'diff';
import { diff3Merge } from 'node-diff3';
import { decodeText } from './text';

/** How long line counting may take, ms; beyond it the counts are an upper bound. */
const DIFF_MS = 200;
const MOST_MERGED_LINES = 50_000;

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
  /** false: the texts differ too much to be compared in time, or aren't text. */
  readonly exact: boolean;
}

/** Lines that a change adds and removes. Bytes that aren't text count nothing and aren't exact. */
export function countLines(before: Uint8Array | null, after: Uint8Array | null): LineCounts {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null) return { added: 0, removed: 0, exact: false };
  const [oldLines, newLines] = [linesOf(old), linesOf(now)];
  if (oldLines.length === 0 || newLines.length === 0) {
    return { added: newLines.length, removed: oldLines.length, exact: true };
  }
  const parts = diffArrays(oldLines, newLines, { timeout: DIFF_MS });
  if (parts === undefined) return { added: newLines.length, removed: oldLines.length, exact: false };
  let [added, removed] = [0, 0];
  for (const part of parts) {
    if (part.added) added += part.count;
    else if (part.removed) removed += part.count;
  }
  return { added, removed, exact: true };
}

const textOf = (bytes: Uint8Array | null): string | null => {
  if (bytes === null) return '';
  const text = decodeText(bytes);
  return text.ok ? text.value : null;
};

/** Lines with their ends, so that joining them gives the text. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/u));

/** One recorded change of one file, as undo needs it. */
export interface LedgerEntry {
  /** Who made it, as persons and models call it. */
  readonly by: string;
  /** Whether it is to be undone. */
  readonly undo: boolean;
  /** Already undone: it doesn't count any more. */
  readonly undone: boolean;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/** A file's content; null: there is no file. */
export type Content = { readonly bytes: Uint8Array; readonly hash: string } | null;

export interface UndoQuestion {
  /** All changes of this file in the order in which they were made, those of others too. */
  readonly entries: readonly LedgerEntry[];
  /** A recorded content by its hash; null: it isn't kept. */
  readonly content: (hash: string) => Uint8Array | null;
  readonly current: Content;
}

export type UndoPlan =
  /** Nothing of it is left in the file. */
  | { readonly type: 'nothing' }
  | {
      readonly type: 'restore';
      readonly content: Uint8Array | null;
      /** What must be there when it is written; null: no file. */
      readonly expectHash: string | null;
      /** Other changes made since stay in the file. */
      readonly merged: boolean;
    }
  | { readonly type: 'refuse'; readonly why: UndoRefusal; readonly by: readonly string[] };

export type UndoRefusal =
  /** Changed since, in the same places, or in a way that can't be told apart. */
  | 'changed_since'
  /** A content that would be needed wasn't kept. */
  | 'no_content'
  /** Changed since, and not text that could be merged. */
  | 'not_text'
  | 'too_large';

export const OUTSIDE_WRITER = 'something outside';

interface Step {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Works out how to take some changes of a file back: each by a three-way merge (its after as the base, its before and
 * what is there now as the sides), newest first; changes that follow directly on one another count as one. It refuses
 * instead of guessing.
 */
export function planUndo(question: UndoQuestion): UndoPlan {
  const live = question.entries.filter((entry) => !entry.undone);
  const steps = stepsOf(live);
  const newest = steps.at(-1);
  const oldest = steps[0];
  if (newest === undefined || oldest === undefined) return { type: 'nothing' };
  const currentHash = question.current?.hash ?? null;
  if (steps.length === 1 && currentHash === newest.after) {
    const content = newest.before === null ? null : question.content(newest.before);
    if (newest.before !== null && content === null) return refuse('no_content', []);
    return { type: 'restore', content, expectHash: currentHash, merged: false };
  }
  if (steps.length === 1 && currentHash === oldest.before) return { type: 'nothing' };
  return mergeBack(question, steps, others(live, currentHash));
}

const refuse = (why: UndoRefusal, by: readonly string[]): UndoPlan => ({ type: 'refuse', why, by });

/** The changes to undo, oldest first, with those joined that begin where the one before ended. */
function stepsOf(live: readonly LedgerEntry[]): readonly Step[] {
  const steps: Step[] = [];
  let open = false;
  for (const entry of live) {
    if (!entry.undo) {
      open = false;
      continue;
    }
    const last = steps.at(-1);
    if (open && last !== undefined && last.after === entry.beforeHash) {
      steps[steps.length - 1] = { before: last.before, after: entry.afterHash };
    } else {
      steps.push({ before: entry.beforeHash, after: entry.afterHash });
    }
    open = true;
  }
  return steps;
}

/** Who changed the file after the first change that is to be undone. */
function others(live: readonly LedgerEntry[], currentHash: string | null): readonly string[] {
  const from = live.findIndex((entry) => entry.undo);
  const names = live.slice(from).flatMap((entry) => (entry.undo ? [] : [entry.by]));
  if (live.at(-1)?.afterHash !== currentHash) names.push(OUTSIDE_WRITER);
  return [...new Set(names)];
}

function mergeBack(question: UndoQuestion, steps: readonly Step[], by: readonly string[]): UndoPlan {
  // A file that was made or removed by one of the changes has no lines to merge with what others did to it.
  if (question.current === null || steps.some((step) => step.before === null || step.after === null)) {
    return refuse('changed_since', by);
  }
  let text = textOf(question.current.bytes);
  for (const step of [...steps].reverse()) {
    const [base, wanted] = [keptText(question, step.after), keptText(question, step.before)];
    if (base === 'no_content' || wanted === 'no_content') return refuse('no_content', by);
    if (text === null || base === null || wanted === null) return refuse('not_text', by);
    const merged = mergeTexts(base, text, wanted);
    if (merged.type !== 'merged') return refuse(merged.type, by);
    text = merged.text;
  }
  const content = Buffer.from(text ?? '', 'utf8');
  return { type: 'restore', content, expectHash: question.current.hash, merged: true };
}

function keptText(question: UndoQuestion, hash: string | null): string | null | 'no_content' {
  const bytes = hash === null ? null : question.content(hash);
  return bytes === null ? 'no_content' : textOf(bytes);
}

type Merge =
  | { readonly type: 'merged'; readonly text: string }
  | { readonly type: 'changed_since' }
  | { readonly type: 'too_large' };

/**
 * Three-way merge by lines. Line ends are made alike only if each text has one kind of them, and come back as `mine`
 * has them; otherwise they count as part of their lines.
 */
export function mergeTexts(base: string, mine: string, theirs: string): Merge {
  const kinds = [base, mine, theirs].map(lineEnd);
  const alike = kinds.every((kind) => kind !== 'mixed');
  const plain = (text: string): string => (alike ? text.replaceAll('\r\n', '\n') : text);
  const [o, a, b] = [base, mine, theirs].map((text) => linesOf(plain(text)));
  if (o === undefined || a === undefined || b === undefined) return { type: 'changed_since' };
  if (o.length + a.length + b.length > MOST_MERGED_LINES) return { type: 'too_large' };
  const regions = diff3Merge(a, o, b, { excludeFalseConflicts: true });
  let text = '';
  for (const region of regions) {
    if (region.ok === undefined) return { type: 'changed_since' };
    text += region.ok.join('');
  }
  return { type: 'merged', text: alike && kinds[1] === 'crlf' ? text.replaceAll('\n', '\r\n') : text };
}

function lineEnd(text: string): 'lf' | 'crlf' | 'none' | 'mixed' {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  if (all === 0) return 'none';
  return crlf === 0 ? 'lf' : crlf === all ? 'crlf' : 'mixed';
}
