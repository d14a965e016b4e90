import type { Word, WordPart } from 'unbash';

/** A word of a command line whose value is known before it runs, up to file names that a glob stands for. */
export interface KnownWord {
  readonly value: string;
  readonly glob: {
    /** The folder below which every match lies, '' for where the command runs. */
    readonly base: string;
    /** What every match ends with; '' says nothing. */
    readonly ending: string;
    /** The first character of every match isn't known: it may be a dash, which makes an option of a file's name. */
    readonly open: boolean;
    /** How many levels below the base the matches lie. */
    readonly depth: number;
  } | null;
}

type Piece = { readonly type: 'text'; readonly text: string } | { readonly type: 'glob' };

/**
 * What a word stands for; null if an expansion, a substitution or anything else that isn't plainly known decides it
 * (A11, A12).
 */
export function knownWord(word: Word): KnownWord | null {
  if (word.parts === undefined) {
    return isPlain(word.text) ? { value: word.value, glob: null } : null;
  }
  const pieces: Piece[] = [];
  for (const part of word.parts) {
    const piece = pieceOf(part);
    if (piece === null) return null;
    pieces.push(piece);
  }
  if (pieces.every((piece) => piece.type === 'text')) return { value: word.value, glob: null };
  return globOf(word, pieces);
}

function pieceOf(part: WordPart): Piece | null {
  switch (part.type) {
    case 'Literal':
      return isPlain(part.text) ? { type: 'text', text: part.value } : null;
    case 'SingleQuoted':
      return { type: 'text', text: part.value };
    case 'DoubleQuoted': {
      let text = '';
      for (const child of part.parts) {
        if (child.type !== 'Literal' || /(?<!\\)[$`]/u.test(child.text)) return null;
        text += child.value;
      }
      return { type: 'text', text };
    }
    case 'Glob':
      return part.kind === 'bracket' ? null : { type: 'glob' };
    default:
      return null;
  }
}

/**
 * Unquoted text that the shell takes as it stands. The parser has marked expansions already; this is the second look
 * that keeps an oversight of the parser's from becoming an unasked command.
 */
function isPlain(text: string): boolean {
  const unescaped = text.replace(/\\[^\n]/gu, '');
  if (/[$`\\*?'"<>|;&\n\r\t ]/u.test(unescaped)) return false;
  if (/^~|[=:]~/u.test(unescaped)) return false;
  if (/\{[^}]*(?:,|\.\.)/u.test(unescaped)) return false;
  if (/[()]/u.test(unescaped)) return false;
  return !unescaped.includes('[') || unescaped === '[';
}

function globOf(word: Word, pieces: readonly Piece[]): KnownWord | null {
  const first = pieces.findIndex((piece) => piece.type === 'glob');
  const last = pieces.findLastIndex((piece) => piece.type === 'glob');
  const before = textOf(pieces.slice(0, first));
  const after = textOf(pieces.slice(first));
  // `*/..` would climb out of a folder that isn't known here.
  if (`/${after}/`.includes('/../')) return null;
  const base = before.slice(0, before.lastIndexOf('/') + 1);
  const ending = textOf(pieces.slice(last + 1));
  const depth = after.split('/').filter((name, index) => index === 0 || name !== '').length;
  return { value: word.value, glob: { base, ending, open: before === '', depth } };
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
