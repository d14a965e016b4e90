import * as fs from 'node:fs/promises';
import { StoreFailure, type StoreFailureCode } from './port';

/** A file that is written at given positions. Faults are injected by tests at this border. */
export interface StoreFile {
  /** Resolves with the count of bytes written, which may be short of what was given (a disk that has just filled). */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves when all that was written is on the disk. */
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** What the store needs of a file system. Rejects with Node's errors (`code`). Paths are absolute, sizes bytes. */
export interface FilePort {
  /** Makes a new file for writing; rejects with EEXIST if there is one of the name. */
  create(path: string): Promise<StoreFile>;
  /** Opens an existing file for writing. */
  open(path: string): Promise<StoreFile>;
  /** The bytes in [from, to), fewer at the end of the file. */
  read(path: string, from?: number, to?: number): Promise<Uint8Array>;
  size(path: string): Promise<number>;
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  makeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes names in the folder durable. */
  syncFolder(path: string): Promise<void>;
}

/** Node's code of an error ('ENOENT', …), or null for anything else that was thrown. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What was thrown, as the store's own failure; `code` where the error itself doesn't tell. */
export function asFailure(error: unknown, code: StoreFailureCode = 'io'): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const full = FULL.has(errorCode(error) ?? '');
  return new StoreFailure(full ? 'disk_full' : code, error instanceof Error ? error.message : String(error));
}

/**
 * Writes all bytes at `position`. A short count isn't a success: the rest is tried once more, and a disk that takes
 * nothing of it is full (facts: a write at ENOSPC answers a short count without an error).
 */
export async function writeFully(file: StoreFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const count = await file.write(bytes.subarray(done), position + done);
    if (count <= 0) throw new StoreFailure('disk_full', `${done} of ${bytes.length} bytes written`);
    done += count;
  }
}

/** What a folder can't be asked to do on Windows and some network disks; nothing can be done about it there. */
const NO_FOLDER_SYNC = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EACCES']);

export const nodeFiles: FilePort = {
  create: (path) => openFile(path, 'wx'),
  open: (path) => openFile(path, 'r+'),
  async read(path, from = 0, to) {
    const handle = await fs.open(path, 'r');
    try {
      const end = Math.min(to ?? Number.POSITIVE_INFINITY, (await handle.stat()).size);
      const bytes = Buffer.allocUnsafe(Math.max(0, end - from));
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return bytes.subarray(0, done);
    } finally {
      await handle.close();
    }
  },
  size: async (path) => (await fs.stat(path)).size,
  async list(folder) {
    try {
      return (await fs.readdir(folder)).sort();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  },
  async makeFolder(path) {
    await fs.mkdir(path, { recursive: true });
  },
  rename: (from, to) => fs.rename(from, to),
  remove: (path) => fs.rm(path, { recursive: true, force: true }),
  async syncFolder(path) {
    try {
      const handle = await fs.open(path, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!NO_FOLDER_SYNC.has(errorCode(error) ?? '')) throw error;
    }
  },
};

async function openFile(path: string, flags: 'wx' | 'r+'): Promise<StoreFile> {
  const handle = await fs.open(path, flags, 0o600);
  return {
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    datasync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}
