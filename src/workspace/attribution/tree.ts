import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import ignore from 'ignore';
import { type IgnoreLevel, isIgnored, outerLevels, SKIPPED_FOLDERS } from '../ignore';
import { errorCode } from '../ioProblem';
import { TEMP_PREFIX } from '../tempName';

/**
 * What lies in a workspace folder, as it was when it was last looked at, and what differs since.
 *
 * Tracked are regular files and links. Not tracked are: what git ignores, `.git` and its like, `node_modules` (see
 * `ignore.ts`), empty folders, and folders of the workspace inside this one (they have a tree of their own).
 *
 * Why looks and no file watcher: a watcher loses events (queue limits, network file systems, WSL mounts) without saying
 * so, and a lost event here means a change that is put to nobody or to the wrong one. Why two looks, before and after
 * each command, instead of one with the last one as the "before": what the person did between two commands would be
 * put to the agent, and undone with it. What makes that affordable: a look doesn't walk. It keeps the names, lists a
 * folder again only if the folder itself has changed, compares numbers in place and makes no objects. Medians on two
 * shared cores, a plain walk with `lstat` against both looks of a command together: 50,000 files in 1,000 folders 299 and
 * 290 ms, 30,000 files 169 and 176 ms, 10,000 files 54 and 65 to 74 ms (there the walk's own waste counts for less). The
 * first look lists everything and, without git, copies: 0.2 to 1.4 s once. GNU `find` took half a walk a time too, but is
 * not everywhere. Times are in milliseconds with fractions (to 0.25 µs) rather than big integers, which cost a tenth more
 * time and several times the memory. `test/contract/attributionSpeed.test.ts` holds the ratio.
 */
export class Tree {
  readonly root: string;
  readonly #inner: ReadonlySet<string>;
  #outer: readonly IgnoreLevel[] = [];
  #top: Folder | null = null;
  #count = 0;
  #since = 0;

  /** @param inner real paths of other workspace folders */
  constructor(root: string, inner: readonly string[]) {
    this.root = root;
    this.#inner = new Set(inner.filter((path) => path !== root));
  }

  get fileCount(): number {
    return this.#count;
  }

  /** Reads the rules that hold from above the folder. Call before the first look. */
  async open(): Promise<void> {
    this.#outer = await outerLevels(this.root);
  }

  /** What differs since the last look. The first one finds everything new. @throws TooManyFiles */
  look(): readonly Difference[] {
    const found: Difference[] = [];
    const now = Date.now();
    if (this.#top === null) this.#top = this.#read('', this.#outer, found, now);
    else this.#check(this.#top, found, now);
    this.#since = now;
    return found;
  }

  /** Every file as it was at the last look. */
  *entries(): Iterable<{ readonly path: string; readonly stat: FileStat }> {
    const waiting = this.#top === null ? [] : [this.#top];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for (const [i, name] of folder.names.entries())
        yield { path: folder.prefix + name, stat: statAt(folder, i) };
      waiting.push(...folder.folders.values());
    }
  }

  #real(path: string): string {
    return path === '' ? this.root : `${this.root}/${path}`;
  }

  /** A folder that was not known: all in it is new. */
  #read(path: string, levels: readonly IgnoreLevel[], found: Difference[], now: number): Folder | null {
    const own = statOf(this.#real(path));
    if (own === 'unreadable' || own === null) return null;
    const listed = entriesOf(this.#real(path));
    const rules = listed?.some((entry) => entry.name === '.gitignore') === true ? this.#rules(path) : null;
    const folder: Folder = {
      path,
      prefix: path === '' ? '' : `${path}/`,
      above: levels,
      levels: rules === null ? levels : [...levels, rules],
      names: [],
      numbers: [],
      folders: new Map(),
      mtimeMs: own.mtimeMs,
      ctimeMs: own.ctimeMs,
      readAt: now,
    };
    for (const entry of listed ?? []) this.#enter(folder, entry, found, now);
    return folder;
  }

  #enter(folder: Folder, entry: Dirent, found: Difference[], now: number): void {
    const path = folder.prefix + entry.name;
    if (entry.isDirectory()) {
      if (SKIPPED_FOLDERS.has(entry.name) || this.#inner.has(this.#real(path))) return;
      if (isIgnored(folder.levels, `${path}/`)) return;
      const inner = this.#read(path, folder.levels, found, now);
      if (inner !== null) folder.folders.set(entry.name, inner);
      return;
    }
    if (!entry.isFile() && !entry.isSymbolicLink()) return;
    if (entry.name.startsWith(TEMP_PREFIX) || isIgnored(folder.levels, path)) return;
    const stats = statOf(this.#real(path));
    if (stats === null || stats === 'unreadable' || stats.isDirectory()) return;
    this.#count++;
    if (this.#count > MOST_FILES) throw new TooManyFiles(this.root);
    folder.names.push(entry.name);
    put(folder.numbers, folder.names.length - 1, stats);
    found.push({ path, before: null, after: asStat(stats), known: false });
  }

  /** Answers whether the folder is still there. */
  #check(folder: Folder, found: Difference[], now: number): boolean {
    const own = statOf(this.#real(folder.path));
    if (own === 'unreadable') return true;
    if (own?.isDirectory() !== true) {
      this.#drop(folder, found);
      return false;
    }
    const had = rulesStamp(folder);
    this.#checkFiles(folder, found);
    if (
      own.mtimeMs !== folder.mtimeMs ||
      own.ctimeMs !== folder.ctimeMs ||
      isRacy(own.mtimeMs, folder.readAt)
    )
      this.#relist(folder, found, own, now);
    if (rulesStamp(folder) !== had) this.#ruleAnew(folder, found, now);
    else
      for (const [name, inner] of [...folder.folders])
        if (!this.#check(inner, found, now)) folder.folders.delete(name);
    return true;
  }

  /** The files that were there: the part that costs time, so nothing is made for a file that is as it was. */
  #checkFiles(folder: Folder, found: Difference[]): void {
    const { names, numbers } = folder;
    const base = `${this.#real(folder.path)}/`;
    let gone = 0;
    for (let i = 0; i < names.length; i++) {
      const at = i * WIDTH;
      const stats = statOf(base + names[i]);
      if (stats === 'unreadable') continue;
      if (stats === null || stats.isDirectory()) {
        found.push({ path: folder.prefix + names[i], before: statAt(folder, i), after: null, known: false });
        numbers[at] = GONE;
        gone++;
        continue;
      }
      const same =
        stats.mtimeMs === numbers[at + 1] &&
        stats.ctimeMs === numbers[at + 2] &&
        stats.size === numbers[at] &&
        stats.ino === numbers[at + 3] &&
        stats.mode === numbers[at + 4];
      if (same && !isRacy(stats.mtimeMs, this.#since)) continue;
      found.push({
        path: folder.prefix + names[i],
        before: statAt(folder, i),
        after: asStat(stats),
        known: false,
      });
      put(numbers, i, stats);
    }
    if (gone > 0) this.#removeGone(folder);
  }

  #removeGone(folder: Folder): void {
    const { names, numbers } = folder;
    let kept = 0;
    for (let i = 0; i < names.length; i++) {
      if (numbers[i * WIDTH] === GONE) continue;
      names[kept] = names[i] ?? '';
      for (let k = 0; k < WIDTH; k++) numbers[kept * WIDTH + k] = numbers[i * WIDTH + k] ?? 0;
      kept++;
    }
    this.#count -= names.length - kept;
    names.length = kept;
    numbers.length = kept * WIDTH;
  }

  /** The folder's list has changed: takes in what is new. What is gone was found by `#checkFiles` or will be by its own check. */
  #relist(folder: Folder, found: Difference[], own: Stats, now: number): void {
    const listed = entriesOf(this.#real(folder.path));
    if (listed === null) return;
    const files = new Set(folder.names);
    for (const entry of listed) {
      if (files.has(entry.name) || (entry.isDirectory() && folder.folders.has(entry.name))) continue;
      this.#enter(folder, entry, found, now);
    }
    folder.mtimeMs = own.mtimeMs;
    folder.ctimeMs = own.ctimeMs;
    folder.readAt = now;
  }

  #drop(folder: Folder, found: Difference[]): void {
    for (const [i, name] of folder.names.entries()) {
      this.#count--;
      found.push({ path: folder.prefix + name, before: statAt(folder, i), after: null, known: false });
    }
    for (const inner of folder.folders.values()) this.#drop(inner, found);
    folder.names.length = 0;
    folder.numbers.length = 0;
    folder.folders.clear();
  }

  /**
   * The folder's ignore file has changed: it and all below it is read anew. A file that only comes into view or goes
   * out of it (`known`) was not changed by anybody.
   */
  #ruleAnew(folder: Folder, found: Difference[], now: number): void {
    const before = new Map<string, FileStat>();
    const below: Difference[] = [];
    this.#drop(folder, below);
    for (const { path, before: stat } of below) if (stat !== null) before.set(path, stat);
    const anew: Difference[] = [];
    const again = this.#read(folder.path, folder.above, anew, now);
    if (again === null) return;
    Object.assign(folder, again);
    for (const each of anew) {
      const stat = before.get(each.path);
      before.delete(each.path);
      if (stat === undefined) found.push(this.#intoView(each));
      else if (each.after !== null && !isSame(stat, each.after))
        found.push({ path: each.path, before: stat, after: each.after, known: false });
    }
    for (const [path, stat] of before) {
      const isThere = statOf(this.#real(path)) !== null;
      found.push({ path, before: stat, after: null, known: isThere });
    }
  }

  /** A file that was ignored before, or that is new. */
  #intoView(each: Difference): Difference {
    const stats = statOf(this.#real(each.path));
    if (each.after === null || stats === null || stats === 'unreadable') return each;
    const since = this.#since - SLACK_MS;
    if (stats.ctimeMs < since) return { ...each, known: true };
    // Where the system doesn't tell when a file was made, it says 0 or the time of its last change.
    const wasThere = stats.birthtimeMs > 0 && stats.birthtimeMs < since;
    return wasThere ? { ...each, before: { ...each.after, mtimeMs: 0, size: 0 } } : each;
  }

  #rules(path: string): IgnoreLevel | null {
    try {
      const text = readFileSync(this.#real(path === '' ? '.gitignore' : `${path}/.gitignore`), 'utf8');
      return { base: path, above: '', rules: ignore({ ignorecase: false }).add(text) };
    } catch (error) {
      if (errorCode(error) === '') throw error;
      return null;
    }
  }
}

/** A folder with more files than this is not tracked: each look would hold up every command for more than a second. */
const MOST_FILES = 200_000;

export class TooManyFiles extends Error {
  constructor(root: string) {
    super(`${root} holds more than ${MOST_FILES} files that git doesn't ignore`);
    this.name = 'TooManyFiles';
  }
}

export interface FileStat {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** With the type. */
  readonly mode: number;
}

/** A path that may differ. Equal stats on both sides: changed so lately that the times can't tell. */
export interface Difference {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly before: FileStat | null;
  readonly after: FileStat | null;
  /** It was there before, or still is: only the ignore rules have changed. */
  readonly known: boolean;
}

/** Numbers of all files of a folder in one array: size, mtime, ctime, ino, mode. */
interface Folder {
  readonly path: string;
  readonly prefix: string;
  /** The ignore rules that hold for the folder itself, and those for what is in it. */
  readonly above: readonly IgnoreLevel[];
  levels: readonly IgnoreLevel[];
  names: string[];
  numbers: number[];
  folders: Map<string, Folder>;
  mtimeMs: number;
  ctimeMs: number;
  readAt: number;
}

const WIDTH = 5;
const GONE = -1;
/** Times of a file are taken from a clock that ticks every 1 to 10 ms. */
const SLACK_MS = 20;
const COARSE_SLACK_MS = 2000;

/** Whether a change right after the look could have left the same time. Whole seconds: a file system that keeps no more. */
const isRacy = (mtimeMs: number, lookedAt: number): boolean =>
  mtimeMs >= lookedAt - COARSE_SLACK_MS && (mtimeMs >= lookedAt - SLACK_MS || mtimeMs % 1000 === 0);

function put(numbers: number[], index: number, stats: Stats): void {
  const at = index * WIDTH;
  numbers[at] = stats.size;
  numbers[at + 1] = stats.mtimeMs;
  numbers[at + 2] = stats.ctimeMs;
  numbers[at + 3] = stats.ino;
  numbers[at + 4] = stats.mode;
}

const asStat = ({ size, mtimeMs, ctimeMs, ino, mode }: Stats): FileStat => ({
  size,
  mtimeMs,
  ctimeMs,
  ino,
  mode,
});

function statAt({ numbers }: Folder, index: number): FileStat {
  const [size = 0, mtimeMs = 0, ctimeMs = 0, ino = 0, mode = 0] = numbers.slice(
    index * WIDTH,
    (index + 1) * WIDTH,
  );
  return { size, mtimeMs, ctimeMs, ino, mode };
}

const isSame = (a: FileStat, b: FileStat): boolean =>
  a.size === b.size &&
  a.mtimeMs === b.mtimeMs &&
  a.ctimeMs === b.ctimeMs &&
  a.ino === b.ino &&
  a.mode === b.mode;

function rulesStamp(folder: Folder): string {
  const index = folder.names.indexOf('.gitignore');
  return index < 0 ? '' : JSON.stringify(statAt(folder, index));
}

const NO_THROW = { throwIfNoEntry: false } as const;

/** null: nothing there. What may not be looked at counts as unchanged, never as gone. */
function statOf(path: string): Stats | null | 'unreadable' {
  try {
    return lstatSync(path, NO_THROW) ?? null;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return 'unreadable';
  }
}

function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return null;
  }
}
