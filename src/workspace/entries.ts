import { link, lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fail, ok } from '../base/result';
import { kindOf } from './files';
import { type HeldFolder, holdFolder, holdOrMake } from './heldFolder';
import { errorCode, ioProblem } from './ioProblem';
import type { Answer } from './port';

/** A confined place with the workspace folder that it lies in. */
export interface EntryPlace {
  readonly real: string;
  readonly root: string;
  readonly shown: string;
}

/** Makes a folder and those above it that are missing; one that is there stays as it is. */
export async function makeFolder({ real, root, shown }: EntryPlace): Promise<Answer<null>> {
  try {
    await (await holdOrMake(root, real)).close();
    return ok(null);
  } catch (error) {
    return fail(ioProblem(error, shown));
  }
}

/** Removes a folder that is empty. */
export async function removeEmptyFolder({ real, shown }: EntryPlace): Promise<Answer<null>> {
  try {
    const held = await holdFolder(dirname(real), dirname(real));
    try {
      if (!(await held.inPlace())) return fail({ code: 'outside', path: shown });
      await rmdir(held.at(basename(real)));
      return ok(null);
    } finally {
      await held.close();
    }
  } catch (error) {
    return errorCode(error) === 'ENOTEMPTY'
      ? fail({ code: 'io', path: shown, why: 'it is not empty: something came into it meanwhile' })
      : fail(ioProblem(error, shown));
  }
}

/** Gives a file or a folder another place, in one step; never over something that is there. */
export async function moveEntry(from: EntryPlace, to: EntryPlace): Promise<Answer<null>> {
  try {
    const source = await holdFolder(dirname(from.real), dirname(from.real));
    try {
      const target = await holdOrMake(to.root, dirname(to.real));
      try {
        if (!(await source.inPlace())) return fail({ code: 'outside', path: from.shown });
        if (!(await target.inPlace())) return fail({ code: 'outside', path: to.shown });
        return await moveHeld(source, target, from, to);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    return errorCode(error) === 'EXDEV'
      ? fail({ code: 'io', path: to.shown, why: 'it lies on another file system (EXDEV)' })
      : fail(ioProblem(error, from.shown));
  }
}

async function moveHeld(
  source: HeldFolder,
  target: HeldFolder,
  from: EntryPlace,
  to: EntryPlace,
): Promise<Answer<null>> {
  const [old, now] = [source.at(basename(from.real)), target.at(basename(to.real))];
  if (await isThere(now)) return fail({ code: 'exists', path: to.shown });
  if ((await lstat(old)).isDirectory()) {
    await rename(old, now);
    return ok(null);
  }
  try {
    // A rename would overwrite what came up meanwhile; a second name can't.
    await link(old, now);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return fail({ code: 'exists', path: to.shown });
    // Some file systems know no hard links; there the gap between check and rename stays.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(old, now);
    return ok(null);
  }
  await unlink(old);
  return ok(null);
}

/** Whether anything lies there, also a link to nothing. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** All that lies below a folder, paths relative to it with `/`, outer before inner. */
export interface Subtree {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Refuses a folder with more files than that, or with anything that is neither file nor folder. */
export async function subtreeOf(place: EntryPlace, mostFiles: number): Promise<Answer<Subtree>> {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    for (const waiting = ['']; waiting.length > 0; ) {
      const folder = waiting.shift() ?? '';
      const entries = await readdir(join(place.real, folder), { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const entry of entries) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          folders.push(path);
          waiting.push(path);
        } else if (entry.isFile()) files.push(path);
        else return fail({ code: 'not_a_file', path: `${place.shown}/${path}`, what: kindOf(entry) });
        if (files.length > mostFiles || folders.length > mostFiles) {
          return fail({ code: 'too_many', path: place.shown, limit: mostFiles });
        }
      }
    }
    return ok({ files, folders });
  } catch (error) {
    return fail(ioProblem(error, place.shown));
  }
}
