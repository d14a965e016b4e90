import { realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { careOfNames } from './care';
import { gitPrograms } from './gitPrograms';
import { errorCode } from './ioProblem';
import { isWithin, resolveAsKernel } from './place';
import type { CommandInspection, PathCare, PlacedPath, WorkspaceFolder } from './port';
import { type CommandReading, type NamedFile, readingCommand } from './shell/reading';
import { walk } from './walk';

/** What the inspection has to know of the workspace. */
export interface InspectedWorkspace {
  readonly folders: readonly WorkspaceFolder[];
  /** Whether `.teamroomignore` denies a path of a folder, written relative to the folder's root. */
  denies(folder: WorkspaceFolder, path: string): boolean;
  /** Whether a folder lies in a repository, whose ignore files a search follows. */
  hasRepository(folder: WorkspaceFolder): Promise<boolean>;
}

type Touch = CommandInspection['touches'][number];

/** More entries than this below one folder and the command asks instead of being looked through. */
const MOST_ENTRIES = 50_000;

/**
 * Judges a command line by its syntax and by the files that it names, as the kernel would find them. Careful words
 * of commands that don't only read (`rm -r .git`) count as touched as well (A31).
 */
export async function inspectCommand(
  command: string,
  cwd: PlacedPath,
  workspace: InspectedWorkspace,
): Promise<CommandInspection> {
  const read = readingCommand(command);
  if (!read.parsable) return { reading: false, unparsable: read.detail, touches: [], detail: read.detail };
  if (!read.reading) {
    return { reading: false, unparsable: null, touches: touchedWords(read), detail: read.detail };
  }
  if (/\bgit\b/u.test(command)) {
    const why = await whyNotGit(read.words, cwd, workspace);
    if (why !== null) return { reading: false, unparsable: null, touches: [], detail: why };
  }
  const touches: Touch[] = [];
  for (const file of read.files) {
    const found = await lookUp(file, cwd, workspace);
    if (found.type === 'unfit') return { reading: false, unparsable: null, touches, detail: found.why };
    touches.push(...found.touches);
  }
  const detail = touches.length > 0 ? `it reads "${touches[0]?.path ?? ''}"` : '';
  return { reading: touches.length === 0, unparsable: null, touches, detail };
}

async function whyNotGit(
  words: readonly string[],
  cwd: PlacedPath,
  workspace: InspectedWorkspace,
): Promise<string | null> {
  const folder = workspace.folders.find(({ root }) => isWithin(root, cwd.real));
  return folder === undefined ? null : gitPrograms(cwd.real, folder.root, words);
}

/** Words of a command that look like careful paths, also behind `=` as in `--output=.git/config`. */
function touchedWords(read: CommandReading): Touch[] {
  const touches: Touch[] = [];
  for (const word of read.words) {
    for (const path of new Set([word, word.slice(word.indexOf('=') + 1)])) {
      const care = careOfNames(path);
      if (care !== 'plain') touches.push({ path, care });
    }
  }
  return touches;
}

type LookUp =
  | { readonly type: 'fit'; readonly touches: readonly Touch[] }
  | { readonly type: 'unfit'; readonly why: string };

async function lookUp(file: NamedFile, cwd: PlacedPath, workspace: InspectedWorkspace): Promise<LookUp> {
  const touches: Touch[] = [];
  for (const from of file.from) {
    let real: string;
    try {
      real = await resolveAsKernel(await resolveAsKernel(cwd.real, from), file.path);
    } catch (error) {
      return { type: 'unfit', why: `"${file.path}" can't be looked at (${errorCode(error)})` };
    }
    const folder = folderOf(real, workspace);
    if (folder === null) return { type: 'unfit', why: `"${file.path}" lies outside the workspace` };
    const inside = relative(folder.root, real).split(sep).join('/');
    if (file.use !== 'meta') touches.push(...carefulOf(file.path, inside, folder, workspace));
    const below = await lookBelow(file, folder, inside, workspace);
    if (below.type === 'unfit') return below;
    touches.push(...below.touches);
  }
  return { type: 'fit', touches };
}

/** The innermost folder that a real path lies in. */
function folderOf(real: string, workspace: InspectedWorkspace): WorkspaceFolder | null {
  const homes = workspace.folders.filter((folder) => isWithin(folder.root, real));
  return homes.sort((a, b) => b.root.length - a.root.length)[0] ?? null;
}

function carefulOf(
  written: string,
  inside: string,
  folder: WorkspaceFolder,
  workspace: InspectedWorkspace,
): Touch[] {
  const secret = isSecret(careOfNames(written)) || isSecret(careOfNames(inside));
  return secret || workspace.denies(folder, inside) ? [{ path: written, care: 'secret' }] : [];
}

const isSecret = (care: PathCare): boolean => care === 'secret';

/** What a glob or a search below a folder would come upon: secret and denied files, and links that lead outside. */
async function lookBelow(
  file: NamedFile,
  folder: WorkspaceFolder,
  inside: string,
  workspace: InspectedWorkspace,
): Promise<LookUp> {
  const searches = file.use === 'tree' || file.use === 'listed';
  if (!searches && file.globDepth === null) return { type: 'fit', touches: [] };
  if (!(await isFolder(join(folder.root, inside)))) return { type: 'fit', touches: [] };
  const listed = file.use === 'listed';
  const { entries, truncated } = await walk({
    root: folder.root,
    start: inside,
    depth: searches ? Number.POSITIVE_INFINITY : (file.globDepth ?? 1),
    maxEntries: MOST_ENTRIES,
    skipIgnored: listed && (await workspace.hasRepository(folder)),
    hidden: (path) => listed && path.slice(path.lastIndexOf('/') + 1).startsWith('.'),
    signal: new AbortController().signal,
  });
  if (truncated)
    return { type: 'unfit', why: `there are too many files below "${file.path}" to look through` };
  const touches: Touch[] = [];
  for (const entry of entries) {
    if (entry.type === 'folder' || !endsAs(entry.path, file.endings)) continue;
    if (entry.type === 'link' && !(await staysInside(join(folder.root, entry.path), workspace))) {
      return { type: 'unfit', why: `"${entry.path}" is a link that leads outside the workspace` };
    }
    if (file.use === 'meta') continue;
    const careful = isSecret(careOfNames(entry.path)) || workspace.denies(folder, entry.path);
    if (careful) touches.push({ path: entry.path, care: 'secret' });
  }
  return { type: 'fit', touches };
}

const endsAs = (path: string, endings: readonly string[] | null): boolean =>
  endings === null || endings.some((ending) => path.endsWith(ending));

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return false;
  }
}

async function staysInside(path: string, workspace: InspectedWorkspace): Promise<boolean> {
  try {
    return folderOf(await realpath(path), workspace) !== null;
  } catch (error) {
    // A link to nothing reads nothing.
    return errorCode(error) === 'ENOENT';
  }
}
