import { hashOf } from '../text';
import type { FileStat } from './tree';

/** A file's content with its identity. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

interface Copy extends Content {
  readonly stat: FileStat;
}

/** Of longer files no copy is kept between commands: it is mostly data, and few of them would use up the room. */
export const COPIED_BYTES = 1_000_000;
/** All copies together, in the worker's memory. */
const ROOM_BYTES = 64_000_000;

/**
 * What files hold between commands, so that there is something to go back to when a command has changed one.
 *
 * Why copies and where they come from: before a command runs nobody knows which files it will change, and afterwards it
 * is too late to look. Hard links and reflinks are no copies (a write goes through the first; the second are rare). Where
 * git's index vouches for a file (`gitIndex.ts`), its object is the copy and nothing is read or kept: in a clean clone of
 * 50,000 files that saves 1.9 s of reading and all of the memory. Of the rest a copy is kept here, in memory: a disk copy
 * would double the writing of every build and bring secrets to one more place. When the room is used up no more is
 * kept, and a change of a file without a copy is listed as one that can't be undone. The copies don't survive the
 * host: after a crash in the middle of a command its changes are told as unknown.
 */
export class Contents {
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;

  /** The content that the file had in this state; null: not known. */
  get(key: string, stat: FileStat): Content | null {
    const copy = this.#copies.get(key);
    return copy !== undefined && copy.stat.mtimeMs === stat.mtimeMs && copy.stat.size === stat.size
      ? copy
      : null;
  }

  has(key: string): boolean {
    return this.#copies.has(key);
  }

  get isFull(): boolean {
    return this.#bytes >= ROOM_BYTES;
  }

  /** Takes the place of what was kept of the file. */
  keep(key: string, stat: FileStat, bytes: Uint8Array, hash = hashOf(bytes)): void {
    this.forget(key);
    if (bytes.length > COPIED_BYTES || this.#bytes + bytes.length > ROOM_BYTES) return;
    this.#copies.set(key, { bytes, hash, stat });
    this.#bytes += bytes.length;
  }

  forget(key: string): void {
    const copy = this.#copies.get(key);
    if (copy === undefined) return;
    this.#copies.delete(key);
    this.#bytes -= copy.bytes.length;
  }
}
