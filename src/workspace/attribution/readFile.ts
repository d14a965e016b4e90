import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../ioProblem';
import type { FileStat } from './tree';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whether the mode is that of a regular file. */
export const isRegular = (stat: FileStat): boolean => (stat.mode & constants.S_IFMT) === constants.S_IFREG;

/**
 * What a file holds in the state in which it was seen; null if it can't be read, is no regular file, is larger than
 * `most`, or has changed since: then the next look finds it.
 */
export function readAs(real: string, stat: FileStat, most: number): Uint8Array | null {
  if (!isRegular(stat) || stat.size > most) return null;
  try {
    const file = openSync(real, FLAGS);
    try {
      const bytes = Buffer.allocUnsafeSlow(stat.size);
      let length = 0;
      while (length < bytes.length) {
        const read = readSync(file, bytes, length, bytes.length - length, length);
        if (read === 0) break;
        length += read;
      }
      // After reading: a write in between shows in the time.
      const now = fstatSync(file);
      const same = now.size === stat.size && now.mtimeMs === stat.mtimeMs && now.ino === stat.ino;
      return same && length === stat.size ? bytes : null;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return null;
  }
}
