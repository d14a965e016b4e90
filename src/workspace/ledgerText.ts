import { decodeText } from './text';

/** null: not text. No file reads as an empty one. */
export const textOf = (bytes: Uint8Array | null): string | null => {
  if (bytes === null) return '';
  const text = decodeText(bytes);
  return text.ok ? text.value : null;
};

/** Lines with their ends, so that joining them gives the text. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/u));
