import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorCode } from './ioProblem';

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
/** Linux names an open folder by its descriptor: what is done below it can't be led astray by a swapped link (A8). */
export const descriptorFolder = process.platform === 'linux' ? '/proc/self/fd' : null;

/** A folder that is held open while something is done in it. */
export interface HeldFolder {
  /** A path to the name inside the held folder. */
  at(name: string): string;
  /** Whether the held folder still lies where it was confined. */
  inPlace(): Promise<boolean>;
  close(): Promise<void>;
}

export async function holdFolder(opened: string, real: string): Promise<HeldFolder> {
  const handle = await open(opened, FOLDER_FLAGS);
  const base = descriptorFolder === null ? real : `${descriptorFolder}/${handle.fd}`;
  return {
    at: (name) => join(base, name),
    inPlace: async () =>
      descriptorFolder === null
        ? (await realpath(real)) === real
        : (await readlink(`${descriptorFolder}/${handle.fd}`)) === real,
    close: () => handle.close(),
  };
}

/** Opens the folder step by step from the root, following no link, and makes what is missing. */
export async function holdOrMake(root: string, folder: string): Promise<HeldFolder> {
  let at = root;
  let held = await holdFolder(root, root);
  for (const name of relative(root, folder).split(sep)) {
    if (name === '') continue;
    const path = held.at(name);
    at = join(at, name);
    try {
      await mkdir(path).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
      });
      const next = await holdFolder(path, at);
      await held.close();
      held = next;
    } catch (error) {
      await held.close();
      throw error;
    }
  }
  return held;
}
