import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { errorCode } from './ioProblem';

export const DENY_FILE = '.teamroomignore';
const MAX_RULES_BYTES = 1_000_000;
/** Never listed or searched unless a path inside is named: version control's own data and installed packages. */
export const SKIPPED_FOLDERS = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** One ignore file's rules and the folder that they are relative to. */
export interface IgnoreLevel {
  /** Folder relative to the workspace folder's root, '' for the root itself. */
  readonly base: string;
  /** What to put before a path of the workspace folder when the ignore file lies above its root. */
  readonly above: string;
  readonly rules: Ignore;
}

const parse = (text: string): Ignore => ignore({ ignorecase: false }).add(text);

/** Reads an ignore file; null if there is none. One that can't be read hides nothing: it only thins out listings. */
async function readRules(file: string): Promise<Ignore | null> {
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > MAX_RULES_BYTES) return null;
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) !== '') return null;
    throw error;
  }
}

/** The level that a folder's own `.gitignore` adds; null: it has none. */
export async function levelOf(root: string, folder: string): Promise<IgnoreLevel | null> {
  const rules = await readRules(join(root, folder, '.gitignore'));
  return rules === null ? null : { base: folder, above: '', rules };
}

/** Rules that hold from above: of the repository's folders over the root, and its `info/exclude`. */
export async function outerLevels(root: string): Promise<readonly IgnoreLevel[]> {
  const repository = await repositoryOf(root);
  if (repository === null) return [];
  const inside = relative(repository, root).split(sep).join('/');
  const levels: IgnoreLevel[] = [];
  const exclude = await readRules(join(repository, '.git', 'info', 'exclude'));
  if (exclude !== null) levels.push({ base: '', above: inside, rules: exclude });
  const names = inside === '' ? [] : inside.split('/');
  for (let depth = 0; depth < names.length; depth++) {
    const rules = await readRules(join(repository, ...names.slice(0, depth), '.gitignore'));
    if (rules !== null) levels.push({ base: '', above: names.slice(depth).join('/'), rules });
  }
  return levels;
}

async function repositoryOf(root: string): Promise<string | null> {
  for (let at = root; ; at = dirname(at)) {
    try {
      await stat(join(at, '.git'));
      return at;
    } catch (error) {
      if (errorCode(error) === '') throw error;
    }
    if (dirname(at) === at) return null;
  }
}

/**
 * Whether git would ignore the path. The level nearest to it decides first.
 *
 * @param path relative to the root, with `/`; a folder ends with `/`
 */
export function isIgnored(levels: readonly IgnoreLevel[], path: string): boolean {
  for (let i = levels.length - 1; i >= 0; i--) {
    const level = levels[i];
    if (level === undefined) continue;
    const inside = level.base === '' ? path : path.slice(level.base.length + 1);
    const result = level.rules.test(level.above === '' ? inside : `${level.above}/${inside}`);
    if (result.ignored) return true;
    if (result.unignored) return false;
  }
  return false;
}

/** What a workspace folder's `.teamroomignore` denies. Fails closed: a file that can't be read denies everything. */
export class DenyRules {
  readonly #file: string;
  #rules: Ignore | 'all' | null = null;
  #stamp = '';

  constructor(root: string) {
    this.#file = join(root, DENY_FILE);
  }

  /** Looks whether the file has changed. Call before `denies`. */
  async refresh(): Promise<void> {
    try {
      const stats = await stat(this.#file);
      const stamp = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
      if (stamp === this.#stamp) return;
      this.#rules =
        stats.isFile() && stats.size <= MAX_RULES_BYTES
          ? ignore().add(await readFile(this.#file, 'utf8'))
          : 'all';
      this.#stamp = stamp;
    } catch (error) {
      this.#rules = errorCode(error) === 'ENOENT' ? null : 'all';
      this.#stamp = '';
    }
  }

  /** @param path relative to the folder's root, with `/`; '' is the root itself, which is never denied */
  denies(path: string): boolean {
    if (this.#rules === null || path === '') return false;
    if (this.#rules === 'all') return path !== DENY_FILE;
    try {
      // Whether it is a folder isn't known here, and a rule for folders must hold as well.
      return this.#rules.ignores(path) || this.#rules.ignores(`${path}/`);
    } catch (error) {
      // The library throws on paths that it takes for relative (`..x` is fine, `../x` is not).
      if (error instanceof RangeError || error instanceof TypeError) return true;
      throw error;
    }
  }
}
