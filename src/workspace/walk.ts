import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type IgnoreLevel, isIgnored, levelOf, outerLevels, SKIPPED_FOLDERS } from './ignore';
import { errorCode } from './ioProblem';

export interface WalkEntry {
  /** Relative to the workspace folder's root, with `/`. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link';
}

export interface WalkOptions {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Where to begin, relative to the root; '' is the root. */
  readonly start: string;
  /** How many levels below the start; 1 is its own entries. */
  readonly depth: number;
  /** More entries than this are not looked at. */
  readonly maxEntries: number;
  /** Follows git's ignore files and leaves out installed packages. */
  readonly skipIgnored: boolean;
  /** Paths that must not be seen at all. */
  readonly hidden: (path: string) => boolean;
  readonly signal: AbortSignal;
}

interface Pending {
  readonly folder: string;
  readonly depth: number;
  readonly levels: readonly IgnoreLevel[];
}

const AT_ONCE = 16;

/**
 * The entries below a folder, sorted by path. Links are listed and never followed. A folder that can't be read is
 * passed over; `truncated` says that the limit was reached or the walk was aborted.
 */
export async function walk(
  options: WalkOptions,
): Promise<{ readonly entries: readonly WalkEntry[]; readonly truncated: boolean }> {
  const found: WalkEntry[] = [];
  const skipIgnored = options.skipIgnored && !(await startsIgnored(options.root, options.start));
  const levels = skipIgnored ? await levelsTo(options.root, options.start) : [];
  let wave: Pending[] = [{ folder: options.start, depth: 1, levels }];
  let truncated = false;
  while (wave.length > 0 && !truncated) {
    const next: Pending[] = [];
    for (let i = 0; i < wave.length && !truncated; i += AT_ONCE) {
      const chunk = wave.slice(i, i + AT_ONCE);
      for (const list of await Promise.all(chunk.map((each) => visit(each, options, skipIgnored)))) {
        found.push(...list.entries);
        next.push(...list.folders);
      }
      truncated = options.signal.aborted || found.length >= options.maxEntries;
    }
    wave = next;
  }
  found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { entries: found.slice(0, options.maxEntries), truncated };
}

async function visit(
  pending: Pending,
  options: WalkOptions,
  skipIgnored: boolean,
): Promise<{ readonly entries: readonly WalkEntry[]; readonly folders: readonly Pending[] }> {
  const names = await entriesOf(join(options.root, pending.folder));
  const own =
    skipIgnored && pending.folder !== options.start && names.some((each) => each.name === '.gitignore')
      ? await levelOf(options.root, pending.folder)
      : null;
  const levels = own === null ? pending.levels : [...pending.levels, own];
  const entries: WalkEntry[] = [];
  const folders: Pending[] = [];
  for (const each of names) {
    const path = pending.folder === '' ? each.name : `${pending.folder}/${each.name}`;
    const type = typeOf(each);
    if (type === null || options.hidden(path)) continue;
    if (type === 'folder' && skipIgnored && SKIPPED_FOLDERS.has(each.name)) continue;
    if (skipIgnored && isIgnored(levels, type === 'folder' ? `${path}/` : path)) continue;
    entries.push({ path, type });
    if (type === 'folder' && pending.depth < options.depth) {
      folders.push({ folder: path, depth: pending.depth + 1, levels });
    }
  }
  return { entries, folders };
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return [];
  }
}

function typeOf(entry: Dirent): WalkEntry['type'] | null {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : null;
}

/** A folder that is ignored itself but was named is listed as if nothing in it were ignored. */
export async function startsIgnored(root: string, start: string): Promise<boolean> {
  if (start === '') return false;
  const names = start.split('/');
  if (names.some((name) => SKIPPED_FOLDERS.has(name))) return true;
  return isIgnored(await levelsTo(root, names.slice(0, -1).join('/')), `${start}/`);
}

/** The ignore files that hold in a folder, outermost first. */
export async function levelsTo(root: string, folder: string): Promise<readonly IgnoreLevel[]> {
  const names = folder === '' ? [] : folder.split('/');
  const folders = names.map((_, index) => names.slice(0, index + 1).join('/'));
  const own = await Promise.all(['', ...folders].map((each) => levelOf(root, each)));
  return [...(await outerLevels(root)), ...own.filter((level) => level !== null)];
}
