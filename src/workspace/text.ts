import { createHash } from 'node:crypto';
import { fail, ok, type Result } from '../base/result';
import type { PathProblem, PlacedPath } from './port';

/** SHA-256, hex: the identity of a file's content everywhere. */
export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf16Marks = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

/**
 * Text of a file, byte order mark and line ends kept, so that encoding it gives the same bytes. A NUL byte makes it
 * binary; anything that isn't UTF-8 is said, never replaced.
 */
export function decodeText(bytes: Uint8Array): Result<string, 'binary' | 'not_utf8'> {
  if (utf16Marks.some(([a, b]) => bytes[0] === a && bytes[1] === b)) return fail('not_utf8');
  if (bytes.includes(0)) return fail('binary');
  try {
    return ok(strict.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return fail('not_utf8');
    throw error;
  }
}

/** Why the bytes can't be had as text; null: they can. */
export function textProblem(path: PlacedPath, bytes: Uint8Array): PathProblem | null {
  const text = decodeText(bytes);
  return text.ok ? null : { code: text.error, path: path.shown, bytes: bytes.length };
}
