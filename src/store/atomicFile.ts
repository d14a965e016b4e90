import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, type FilePort, writeFully } from './files';

/**
 * Replaces a small file whole: a reader, and a crash, sees the old content or the new. Rejects with Node's error or
 * StoreFailure 'disk_full'; then the old file is untouched.
 */
export async function writeAtomically(files: FilePort, path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await files.remove(temporary);
  const file = await files.create(temporary);
  try {
    await writeFully(file, Buffer.from(content), 0);
    await file.datasync();
  } catch (error) {
    await file.close();
    await files.remove(temporary);
    throw error;
  }
  await file.close();
  await files.rename(temporary, path);
  await files.syncFolder(dirname(path));
}

/** A file's parsed JSON; null when it is missing, unreadable as JSON, or no file. What it holds is the caller's to check. */
export async function readJson(files: FilePort, path: string): Promise<unknown> {
  try {
    return JSON.parse(Buffer.from(await files.read(path)).toString());
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw error;
  }
}

/** The folder made durable with its name in its parent. */
export async function makeDurableFolder(files: FilePort, path: string): Promise<void> {
  await files.makeFolder(path);
  await files.syncFolder(path);
  await files.syncFolder(join(path, '..'));
}

/** Makes a file with its content in one step, for everybody who looks; false if there is one of the name. */
export async function createWhole(target: string, content: string): Promise<boolean> {
  const temporary = `${target}.${randomUUID()}.tmp`;
  await fs.writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
  try {
    await fs.link(temporary, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // A file system without hard links: a reader may meet the file before its content.
    return await createPlainly(target, content);
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

async function createPlainly(target: string, content: string): Promise<boolean> {
  try {
    await fs.writeFile(target, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
