/**
 * Characters that are not seen, or that change what is seen around them. They are shown by their number wherever a
 * person decides upon a text (A25): a command that reads harmless must be what it reads.
 */
type Ranges = readonly (readonly [first: number, last: number])[];

/** Marks that turn the direction of writing, and the invisible tag letters: never shown as they are. */
const directing: Ranges = [
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  [0xe0000, 0xe007f],
];

/** Everything else that leaves no trace: controls, zero widths, fillers, joiners, variation selectors. */
const unseen: Ranges = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200d],
  [0x2028, 0x2029],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0e],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0100, 0xe01ef],
];

const isIn = (ranges: Ranges, code: number): boolean =>
  ranges.some(([first, last]) => code >= first && code <= last);

const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** Most texts: nothing to look for. */
const plainText = /^[\t\n\x20-\x7e]*$/;

export interface Part {
  readonly type: 'text' | 'hidden';
  readonly text: string;
}

/** Cuts a text into what is seen and the codes of what is not. */
export function partsOf(text: string): readonly Part[] {
  if (plainText.test(text)) return text === '' ? [] : [{ type: 'text', text }];
  const parts: Part[] = [];
  let plain = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (!isIn(directing, code) && !isIn(unseen, code)) {
      plain += char;
      continue;
    }
    if (plain !== '') parts.push({ type: 'text', text: plain });
    plain = '';
    parts.push({ type: 'hidden', text: named(code) });
  }
  if (plain !== '') parts.push({ type: 'text', text: plain });
  return parts;
}

/** For prose: only what turns the writing or hides words; joiners belong to many scripts. */
export function tamed(text: string): string {
  if (plainText.test(text)) return text;
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    out += isIn(directing, code) ? `⟨${named(code)}⟩` : char;
  }
  return out;
}
