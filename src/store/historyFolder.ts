import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { createWhole, makeDurableFolder, readJson, writeAtomically } from './atomicFile';
import { errorCode, nodeFiles } from './files';

const pointerSchema = z.object({ version: z.literal(1), folder: z.string() });

/** Names a workspace by where it really lies, however it was opened. A folder that isn't there is named as given. */
export async function workspaceKey(folder: string): Promise<string> {
  return createHash('sha256')
    .update(await realPath(folder))
    .digest('hex');
}

async function realPath(folder: string): Promise<string> {
  try {
    return await fs.realpath(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return resolve(folder);
    throw error;
  }
}

/**
 * The folder with this workspace's history. The editor may hand out another storage folder for the same workspace (a
 * second window, or a reload before the old host has gone: vscode-server.md), so the one that was used first is
 * remembered in global storage. It is used as long as it exists; then the current one takes its place.
 */
export async function resolveHistoryFolder(options: {
  readonly storageDir: string;
  readonly globalDir: string;
  readonly workspaceKey: string;
}): Promise<string> {
  const folder = join(options.globalDir, 'history');
  const pointer = join(folder, `${options.workspaceKey}.json`);
  const first = await pointedTo(pointer);
  if (first !== null) return first;
  await makeDurableFolder(nodeFiles, folder);
  await fs.mkdir(options.storageDir, { recursive: true });
  const content = JSON.stringify({ version: 1, folder: options.storageDir });
  // Of two windows at once one makes the pointer, and both go by it.
  const isMade = await createWhole(pointer, content);
  const second = isMade ? options.storageDir : await pointedTo(pointer);
  if (second !== null) return second;
  await writeAtomically(nodeFiles, pointer, content);
  return options.storageDir;
}

async function pointedTo(pointer: string): Promise<string | null> {
  const parsed = pointerSchema.safeParse(await readJson(nodeFiles, pointer));
  if (!parsed.success) return null;
  try {
    return (await fs.stat(parsed.data.folder)).isDirectory() ? parsed.data.folder : null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
}
