import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readlink, realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fail, ok } from '../base/result';
import { descriptorFolder, type HeldFolder, holdOrMake } from './heldFolder';
import { errorCode, ioProblem } from './ioProblem';
import type { Answer, PathProblem } from './port';
import { hashOf } from './text';

export interface WholeFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const TEMP_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const DEFAULT_MODE = 0o666;

/**
 * A whole regular file, at most `maxBytes` long. Folders, pipes, sockets and devices are refused before they are
 * opened (a pipe would block, A29); that the opened file is the one that was confined is checked on the descriptor.
 */
export async function readWhole(real: string, shown: string, maxBytes: number): Promise<Answer<WholeFile>> {
  try {
    const before = await lstat(real);
    if (!before.isFile()) return fail({ code: 'not_a_file', path: shown, what: kindOf(before) });
    const handle = await open(real, READ_FLAGS);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return fail({ code: 'not_a_file', path: shown, what: kindOf(stats) });
      if ((await openedPath(handle, real)) !== real) return fail({ code: 'outside', path: shown });
      if (stats.size > maxBytes) {
        return fail({ code: 'too_large', path: shown, bytes: stats.size, limit: maxBytes });
      }
      const bytes = await readUpTo(handle, stats.size, maxBytes);
      if (bytes.length > maxBytes) {
        return fail({ code: 'too_large', path: shown, bytes: bytes.length, limit: maxBytes });
      }
      return ok({ bytes, mode: stats.mode & 0o7777 });
    } finally {
      await handle.close();
    }
  } catch (error) {
    return fail(ioProblem(error, shown));
  }
}

export function kindOf(stats: {
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isSymbolicLink(): boolean;
}): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isSymbolicLink()) return 'a link';
  return 'a device';
}

/** Where an open file really lies. Off Linux the path is resolved again, which leaves the shortest possible gap. */
async function openedPath(handle: FileHandle, real: string): Promise<string> {
  if (descriptorFolder !== null) return readlink(`${descriptorFolder}/${handle.fd}`);
  const [opened, named] = await Promise.all([handle.stat(), lstat(real)]);
  return opened.ino === named.ino && opened.dev === named.dev ? realpath(real) : '';
}

/** Reads to the end, but at most one byte more than `maxBytes`: the size that was told may be wrong or grow. */
async function readUpTo(handle: FileHandle, size: number, maxBytes: number): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length > maxBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes + 1));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

export interface Replacement {
  /** Real path, confined. */
  readonly real: string;
  /** Real path of the workspace folder that it lies in. */
  readonly root: string;
  readonly shown: string;
  /** null: the file is removed. */
  readonly content: Uint8Array | null;
  /** SHA-256 of what must be there now; null: nothing may be there. */
  readonly expect: string | null;
  /** A name that no other file in the folder has. */
  readonly tempName: string;
  /** Permission bits of a file that isn't there yet; null: those that new files get. */
  readonly mode: number | null;
  /** Permission bits that it gets in any case. */
  readonly exactMode?: number | null;
}

/**
 * Puts a file's new content in place in one step (temporary file in the same folder, flushed, renamed; mode kept),
 * only if the file is still as expected. `changed` means that it isn't and that nothing was done.
 */
export async function replaceFile(change: Replacement): Promise<Answer<'done' | 'changed'>> {
  try {
    const held = await holdOrMake(change.root, dirname(change.real));
    try {
      if (!(await held.inPlace())) return fail({ code: 'outside', path: change.shown });
      return await replaceIn(held, change);
    } finally {
      await held.close();
    }
  } catch (error) {
    return fail(ioProblem(error, change.shown));
  }
}

async function replaceIn(held: HeldFolder, change: Replacement): Promise<Answer<'done' | 'changed'>> {
  const target = held.at(basename(change.real));
  const now = await currentOf(target, change.shown);
  if (!now.ok) return now;
  if ((now.value?.hash ?? null) !== change.expect) return ok('changed');
  if (change.content === null) {
    if (now.value !== null) await unlink(target);
    return ok('done');
  }
  const temp = held.at(change.tempName);
  try {
    await writeTemp(temp, change.content, change.exactMode ?? now.value?.mode ?? change.mode);
    if (now.value !== null) {
      await rename(temp, target);
      return ok('done');
    }
    return ok(await putNew(temp, target));
  } catch (error) {
    await removeTemp(temp);
    throw error;
  }
}

/** Hash and mode of what lies there now, with links not followed; null: nothing. */
async function currentOf(
  target: string,
  shown: string,
): Promise<Answer<{ readonly hash: string; readonly mode: number } | null>> {
  let handle: FileHandle;
  try {
    const stats = await lstat(target);
    if (!stats.isFile()) return fail({ code: 'not_a_file', path: shown, what: kindOf(stats) });
    handle = await open(target, READ_FLAGS);
  } catch (error) {
    const problem: PathProblem = ioProblem(error, shown);
    return problem.code === 'missing' ? ok(null) : fail(problem);
  }
  try {
    const { mode, size } = await handle.stat();
    return ok({
      hash: hashOf(await readUpTo(handle, size, Number.MAX_SAFE_INTEGER)),
      mode: mode & 0o7777,
    });
  } finally {
    await handle.close();
  }
}

async function writeTemp(temp: string, content: Uint8Array, mode: number | null): Promise<void> {
  const handle = await open(temp, TEMP_FLAGS, DEFAULT_MODE);
  try {
    for (let done = 0; done < content.length; ) {
      const { bytesWritten } = await handle.write(content, done, content.length - done, done);
      done += bytesWritten;
    }
    if (mode !== null) await handle.chmod(mode);
    // The rename must never become durable before the content: a crash would leave an empty file.
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** A new file never replaces one that came up meanwhile: a hard link fails where a rename would overwrite. */
export async function putNew(temp: string, target: string): Promise<'done' | 'changed'> {
  try {
    await link(temp, target);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') {
      await removeTemp(temp);
      return 'changed';
    }
    // Some file systems know no hard links; there the gap between check and rename stays.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(temp, target);
    return 'done';
  }
  await unlink(temp);
  return 'done';
}

async function removeTemp(temp: string): Promise<void> {
  try {
    await unlink(temp);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
