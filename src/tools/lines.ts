const BOM = '\ufeff';

/** A text's lines without their ends, and without the empty one after a final line break. */
export function linesOf(text: string): string[] {
  const plain = text.startsWith(BOM) ? text.slice(1) : text;
  if (plain === '') return [];
  const lines = plain.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** "number<tab>text", from `first` on. */
export const numbered = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${first + index}\t${line}`).join('\n');

/** Whether every line break of the text is CRLF, and there is one. */
export function isCrlf(text: string): boolean {
  const all = text.split('\n').length - 1;
  return all > 0 && text.split('\r\n').length - 1 === all;
}

export const toLf = (text: string): string => text.replaceAll('\r\n', '\n');
export const toCrlf = (text: string): string => toLf(text).replaceAll('\n', '\r\n');

/** New text for a file that was there before: with its kind of line ends and its byte order mark. */
export function likeBefore(text: string, before: string): string {
  const ends = isCrlf(before) ? toCrlf(text) : text;
  return before.startsWith(BOM) && !ends.startsWith(BOM) ? BOM + ends : ends;
}

/** Why a text can't be stored as UTF-8 text without loss; null: it can. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'it contains a NUL character';
  return /\p{Surrogate}/u.test(text) ? 'it contains half of a surrogate pair' : null;
}
