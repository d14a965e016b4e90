import type { KnownWord } from './words';

/** What an option takes: nothing, a value that names no file, a file, or a value only after `=` (or attached). */
type Takes = 'nothing' | 'value' | 'file' | 'maybe';

export type OptionTable = ReadonlyMap<string, Takes>;

const MARKS: Readonly<Record<string, Takes>> = { ':': 'value', '@': 'file', '?': 'maybe' };

/** Reads a table written as "-n -e: --color? -f@". */
export function optionTable(text: string): OptionTable {
  const table = new Map<string, Takes>();
  for (const item of text.split(' ')) {
    const mark = MARKS[item.slice(-1)];
    if (item !== '') table.set(mark === undefined ? item : item.slice(0, -1), mark ?? 'nothing');
  }
  return table;
}

export interface ParsedOptions {
  /** Options that were given, with their values ('' for none). */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly KnownWord[];
  readonly operands: readonly KnownWord[];
}

/**
 * Takes a program's words apart as getopt does, options and operands in any order until `--`. An option that isn't in
 * the table, also an abbreviation of one that is, makes it null: what it does isn't known (A14).
 *
 * @param numbers whether "-5" is an option
 */
export function parseOptions(
  words: readonly KnownWord[],
  table: OptionTable,
  numbers: boolean,
): ParsedOptions | null {
  const found = new Found();
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined) return null;
    const text = word.value;
    if (text === '--') {
      found.operands.push(...words.slice(i + 1));
      break;
    }
    if (!text.startsWith('-') || text === '-') {
      found.operands.push(word);
      continue;
    }
    if (word.glob !== null) return null;
    if (numbers && /^-\d+$/u.test(text)) continue;
    const used = text.startsWith('--')
      ? longOption(text, words[i + 1], table, found)
      : shortOptions(text, words[i + 1], table, found);
    if (used === null) return null;
    i += used;
  }
  return found;
}

class Found implements ParsedOptions {
  readonly given = new Map<string, string[]>();
  readonly files: KnownWord[] = [];
  readonly operands: KnownWord[] = [];

  add(name: string, takes: Takes, value: KnownWord | null): void {
    const values = this.given.get(name) ?? [];
    values.push(value?.value ?? '');
    this.given.set(name, values);
    if (takes === 'file' && value !== null) this.files.push(value);
  }
}

/** How many of the following words the option takes; null: it isn't known, or its value is missing. */
function longOption(
  text: string,
  next: KnownWord | undefined,
  table: OptionTable,
  found: Found,
): number | null {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const takes = table.get(name);
  if (takes === undefined) return null;
  if (equals >= 0) {
    if (takes === 'nothing') return null;
    found.add(name, takes, { value: text.slice(equals + 1), glob: null });
    return 0;
  }
  return separate(name, takes, next, found);
}

function separate(name: string, takes: Takes, next: KnownWord | undefined, found: Found): number | null {
  if (takes === 'nothing' || takes === 'maybe') {
    found.add(name, takes, null);
    return 0;
  }
  if (next === undefined || next.glob !== null) return null;
  found.add(name, takes, next);
  return 1;
}

function shortOptions(
  text: string,
  next: KnownWord | undefined,
  table: OptionTable,
  found: Found,
): number | null {
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const takes = table.get(name);
    if (takes === undefined) return null;
    const attached = text.slice(at + 1);
    if (takes !== 'nothing' && attached !== '') {
      found.add(name, takes, { value: attached, glob: null });
      return 0;
    }
    if (attached === '') return separate(name, takes, next, found);
    found.add(name, takes, null);
  }
  return 0;
}
