import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result } from '../base/result';
import { errorCode } from './ioProblem';
import { decodeText } from './text';
import { withinTime } from './withinTime';

export interface Hit {
  /** As the caller named the file. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface SearchOptions {
  /** Real path that the files' paths are relative to. */
  readonly root: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** More hits than this are not gathered. */
  readonly maxHits: number;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly hits: readonly Hit[];
  readonly truncated: boolean;
  /** Files that weren't searched: binary, too large, unreadable, or the pattern took too long on them. */
  readonly skipped: number;
}

export const MAX_SEARCHED_BYTES = 10_000_000;
/** A hit's line is cut to this many characters. */
export const LONGEST_HIT = 400;
const LONGEST_LINE = 20_000;
/** What is searched in one go, between two turns of the event loop. */
const BATCH_CHARS = 500_000;
const BATCH_FILES = 100;
const BATCH_MS = 40;
const MOST_SLOW_FILES = 25;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Piece {
  readonly path: string;
  readonly firstLine: number;
  readonly text: string;
}

export function compilePattern(pattern: string, ignoreCase: boolean): Result<RegExp, string> {
  const flags = ignoreCase ? 'i' : '';
  // Stricter rules hold with `u` ("\\-" or a lone "{" is an error), so what fails there is tried without.
  const unicode = compile(pattern, `${flags}u`);
  return unicode.ok ? unicode : compile(pattern, flags);
}

function compile(pattern: string, flags: string): Result<RegExp, string> {
  try {
    return ok(new RegExp(pattern, flags));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Searches files line by line without any program's help. A pattern that takes too long on a file breaks off there
 * and counts it as skipped, and after many such files the search ends (A29); the event loop is never held for more
 * than about 40 ms.
 */
export async function searchFiles(
  files: readonly string[],
  expression: RegExp,
  options: SearchOptions,
): Promise<Found> {
  const hits: Hit[] = [];
  const slow = new Set<string>();
  let unsuitable = 0;
  let batch: Piece[] = [];
  let chars = 0;
  const isOver = (): boolean =>
    options.signal.aborted || hits.length > options.maxHits || slow.size >= MOST_SLOW_FILES;
  const flush = async (): Promise<void> => {
    hits.push(...(await searchBatch(batch, expression, slow)));
    batch = [];
    chars = 0;
    await nextTurn();
  };
  for (const path of files) {
    if (isOver()) break;
    const text = readSearched(join(options.root, path));
    if (text === null) unsuitable++;
    for (const piece of piecesOf(path, text ?? '')) {
      batch.push(piece);
      chars += piece.text.length;
      if (chars >= BATCH_CHARS || batch.length >= BATCH_FILES) await flush();
    }
  }
  if (batch.length > 0) await flush();
  return { hits: hits.slice(0, options.maxHits), truncated: isOver(), skipped: unsuitable + slow.size };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A batch that takes too long is searched piece by piece, to find out which files are to blame. */
async function searchBatch(
  batch: readonly Piece[],
  expression: RegExp,
  slow: Set<string>,
): Promise<readonly Hit[]> {
  const together = withinTime(BATCH_MS, () => batch.flatMap((piece) => searchPiece(piece, expression)));
  if (together !== null) return together.value;
  const hits: Hit[] = [];
  for (const piece of batch) {
    if (slow.has(piece.path) || slow.size >= MOST_SLOW_FILES) continue;
    await nextTurn();
    const alone = withinTime(BATCH_MS, () => searchPiece(piece, expression));
    if (alone === null) slow.add(piece.path);
    else hits.push(...alone.value);
  }
  return hits;
}

function searchPiece(piece: Piece, expression: RegExp): Hit[] {
  const hits: Hit[] = [];
  let line = piece.firstLine;
  for (let from = 0; from < piece.text.length; line++) {
    const next = piece.text.indexOf('\n', from);
    const end = next < 0 ? piece.text.length : next;
    const visible = end > from && piece.text[end - 1] === '\r' ? end - 1 : end;
    const text = piece.text.slice(from, Math.min(visible, from + LONGEST_LINE));
    if (expression.test(text)) hits.push({ path: piece.path, line, text: cutLine(text) });
    from = end + 1;
  }
  return hits;
}

export const cutLine = (text: string): string =>
  text.length <= LONGEST_HIT ? text : `${text.slice(0, LONGEST_HIT)}…`;

/** A large file in pieces that end with a line. */
function* piecesOf(path: string, text: string): Generator<Piece> {
  let firstLine = 1;
  for (let from = 0; from < text.length; ) {
    const wanted = from + BATCH_CHARS;
    const cut = wanted >= text.length ? text.length : text.indexOf('\n', wanted);
    const end = cut < 0 ? text.length : cut;
    const piece = text.slice(from, end);
    yield { path, firstLine, text: piece };
    from = end + 1;
    if (from < text.length) firstLine += countLines(piece);
  }
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

const buffer = Buffer.allocUnsafe(64 * 1024);

/** Reads synchronously: 50,000 small files take a third of the time. null: not a text file of a fit size. */
function readSearched(file: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, READ_FLAGS);
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return null;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_SEARCHED_BYTES) return null;
    const into = stats.size <= buffer.length ? buffer : Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < into.length) {
      const got = readSync(descriptor, into, length, into.length - length, length);
      if (got === 0) break;
      length += got;
    }
    const text = decodeText(into.subarray(0, length));
    return text.ok ? text.value : null;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return null;
  } finally {
    closeSync(descriptor);
  }
}
