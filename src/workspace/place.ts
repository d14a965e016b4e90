import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, posix, sep } from 'node:path';
import { fail, ok } from '../base/result';
import { INVISIBLE } from './care';
import { errorCode, ioProblem } from './ioProblem';
import type { Answer, PathProblem, PlacedPath, WorkspaceFolder } from './port';

/** A folder with every spelling of its root under which an absolute path is accepted. */
export interface PlaceFolder extends WorkspaceFolder {
  readonly spellings: readonly string[];
}

/** A path that names a place below a folder's root; segments hold no `.`, `..` or separator. */
export interface NamedPlace {
  readonly folder: PlaceFolder;
  readonly segments: readonly string[];
}

/** Two folders may have the same name; paths must tell them apart. */
export function freeName(wanted: string, taken: readonly WorkspaceFolder[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (taken.every((folder) => folder.name !== name)) return name;
  }
}

const LONGEST_PATH = 4096;
const LONGEST_NAME_BYTES = 255;
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
const SHORT_NAME = /^[^.]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/u;

/** Whether `path` is `root` or lies below it, name by name: `/ws-evil` isn't below `/ws` (A10). */
export function isWithin(root: string, path: string): boolean {
  if (path === root) return true;
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Why a written path is refused before anything is looked up (A4, A5); null: its form is fine. */
export function formProblem(path: string): string | null {
  if (path.length > LONGEST_PATH) return `longer than ${LONGEST_PATH} characters`;
  if (/\p{Cc}/u.test(path)) return 'it contains a control character';
  if (INVISIBLE.test(path)) return 'it contains invisible characters';
  if (path.startsWith('~')) return '"~" is not expanded here';
  if (path.includes('\\')) return 'use "/" between folders';
  if (path.startsWith('//')) return 'network paths are not allowed';
  if (/^[a-z][a-z0-9+.-]*:/iu.test(path)) return 'write a plain path, without a scheme or drive letter';
  if (/%[0-9a-f]{2}/iu.test(path)) return 'percent escapes are not decoded here';
  for (const name of path.split('/')) {
    const problem = nameProblem(name);
    if (problem !== null) return problem;
  }
  return null;
}

function nameProblem(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return null;
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES)
    return `a name is longer than ${LONGEST_NAME_BYTES} bytes`;
  if (name.includes(':')) return '":" in a name is not allowed';
  if (/[. ]$/u.test(name)) return 'a name ends with a dot or a space';
  if (DEVICE_NAME.test(name)) return `"${name}" is a device name on some systems`;
  if (SHORT_NAME.test(name)) return `"${name}" looks like a short (8.3) name; write the whole name`;
  return null;
}

/** Reads a written path as a place below one of the folders, by its text alone. Never touches the disk. */
export function namePlace(path: string, folders: readonly PlaceFolder[]): Answer<NamedPlace> {
  const why = formProblem(path);
  if (why !== null) return fail({ code: 'invalid', path, why });
  if (isAbsolute(path)) return absolutePlace(path, folders);
  const segments = segmentsOf(path);
  if (segments === null) return fail({ code: 'outside', path });
  const [only] = folders;
  if (only !== undefined && folders.length === 1) return ok({ folder: only, segments });
  const [name, ...rest] = segments;
  const folder = folders.find((candidate) => candidate.name === name);
  if (folder === undefined)
    return fail({ code: 'no_folder', path, folders: folders.map((each) => each.name) });
  return ok({ folder, segments: rest });
}

/** The names of a relative path with `.` and inner `..` worked in; null if it climbs out of where it starts. */
function segmentsOf(path: string): readonly string[] | null {
  const segments = posix
    .normalize(path)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  return segments[0] === '..' ? null : segments;
}

function absolutePlace(path: string, folders: readonly PlaceFolder[]): Answer<NamedPlace> {
  const plain = normalize(path);
  let best: { readonly folder: PlaceFolder; readonly root: string } | null = null;
  for (const folder of folders) {
    for (const root of folder.spellings) {
      if (isWithin(root, plain) && (best === null || root.length > best.root.length)) best = { folder, root };
    }
  }
  if (best === null) return fail({ code: 'outside', path });
  const segments = plain
    .slice(best.root.length)
    .split(sep)
    .filter((name) => name !== '');
  return ok({ folder: best.folder, segments });
}

/** How a place is written to models and persons: relative to the only folder, else with its folder's name first. */
export function shownPath(place: NamedPlace, folders: readonly PlaceFolder[]): string {
  const inside = place.segments.join('/');
  if (folders.length === 1) return inside === '' ? '.' : inside;
  return inside === '' ? place.folder.name : `${place.folder.name}/${inside}`;
}

/**
 * Confines a named place: the deepest ancestor that exists is resolved through every link, and both it and what
 * would be made below it must lie in a workspace folder (A6, A7). A link to nothing is refused, since a write would
 * follow it.
 */
export async function confine(
  place: NamedPlace,
  written: string,
  folders: readonly PlaceFolder[],
): Promise<Answer<PlacedPath>> {
  const resolved = await resolveDeepest(place, written);
  if (!resolved.ok) return resolved;
  const { base, rest } = resolved.value;
  const real = join(base, ...rest);
  const home = folders
    .filter((each) => isWithin(each.root, real))
    .sort((a, b) => b.root.length - a.root.length)[0];
  // Nothing is told of what lies outside, not even whether it is a folder.
  if (home === undefined || !isWithin(home.root, base)) return fail({ code: 'outside', path: written });
  if (rest.length > 0) {
    const problem = await folderProblem(base, written);
    if (problem !== null) return fail(problem);
  }
  return ok({ shown: shownPath(place, folders), real, folder: home.name });
}

async function folderProblem(base: string, written: string): Promise<PathProblem | null> {
  try {
    return (await stat(base)).isDirectory() ? null : { code: 'not_a_folder', path: written };
  } catch (error) {
    return ioProblem(error, written);
  }
}

async function resolveDeepest(
  place: NamedPlace,
  written: string,
): Promise<Answer<{ readonly base: string; readonly rest: readonly string[] }>> {
  for (let kept = place.segments.length; kept >= 0; kept--) {
    const probe = join(place.folder.root, ...place.segments.slice(0, kept));
    try {
      return ok({ base: await realpath(probe), rest: place.segments.slice(kept) });
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ELOOP')
        return fail({ code: 'invalid', path: written, why: 'its links go round in a circle' });
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return fail(ioProblem(error, written));
      if (await isLink(probe)) return fail({ code: 'outside', path: written });
    }
  }
  return fail({ code: 'io', path: written, why: 'the workspace folder is gone' });
}

/** Whether a path that can't be resolved is a link to nothing. What can't be looked at counts as one: fail closed. */
async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    const code = errorCode(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/**
 * Where the kernel ends up when a command in `from` opens `written`: `..` is taken after links are followed, as the
 * kernel does, not by text. `from` is a real path. Names that don't exist stay as they are.
 */
export async function resolveAsKernel(from: string, written: string): Promise<string> {
  let at = isAbsolute(written) ? sep : from;
  for (const name of written.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = join(at, '..');
      continue;
    }
    const next = join(at, name);
    try {
      at = await realpath(next);
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      at = next;
    }
  }
  return at;
}
