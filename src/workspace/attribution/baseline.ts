import { readFileSync } from 'node:fs';
import { errorCode } from '../ioProblem';
import { hashOf } from '../text';
import { COPIED_BYTES, type Content, type Contents } from './contents';
import { changesContent, GitIndex } from './gitIndex';
import { gitObjects } from './gitObjects';
import { isRegular, readAs } from './readFile';
import { type Difference, type FileStat, Tree } from './tree';

/** One workspace folder: its tree, and what is known of its files' contents. */
export class Baseline {
  readonly tree: Tree;
  /** Before a path as shown. */
  readonly prefix: string;
  readonly #contents: Contents;
  /** Files of whose content nothing is kept, and which could be. */
  readonly #todo = new Map<string, FileStat>();
  #git: GitIndex | null = null;
  #opened = false;

  /** @param contents shared by all folders: its room is */
  constructor(root: string, prefix: string, inner: readonly string[], contents: Contents) {
    this.tree = new Tree(root, inner);
    this.prefix = prefix;
    this.#contents = contents;
  }

  real(path: string): string {
    return `${this.tree.root}/${path}`;
  }

  /** What differs since the last look, one entry a path. @throws TooManyFiles */
  async look(): Promise<readonly Difference[]> {
    if (!this.#opened) await this.tree.open();
    this.#opened = true;
    const merged = new Map<string, Difference>();
    for (const each of this.tree.look()) {
      const earlier = merged.get(each.path);
      merged.set(each.path, earlier === undefined ? each : { ...each, before: earlier.before });
    }
    return [...merged.values()].filter(({ before, after }) => before !== null || after !== null);
  }

  /** What the files held before, as far as it is known; git's part is asked for at once. */
  async before(differences: readonly Difference[]): Promise<ReadonlyMap<string, Content>> {
    const known = new Map<string, Content>();
    const asked: { readonly path: string; readonly object: string; readonly size: number }[] = [];
    for (const { path, before } of differences) {
      if (before === null) continue;
      const copy = this.#contents.get(this.real(path), before);
      if (copy !== null) known.set(path, copy);
      const object = copy === null ? (this.#git?.objectOf(path, before) ?? null) : null;
      if (object !== null) asked.push({ path, object, size: before.size });
    }
    if (this.#git === null || asked.length === 0) return known;
    const found = await gitObjects(
      this.#git.gitFolder,
      asked.map((each) => each.object),
    );
    for (const [i, { path, size }] of asked.entries()) {
      const bytes = found[i];
      // Another size: git changes line ends on the way out.
      if (bytes?.length === size) known.set(path, { bytes, hash: hashOf(bytes) });
    }
    return known;
  }

  /** Takes a difference in: `content` is what the file holds now, null if it wasn't read. */
  learn({ path, after }: Difference, content: Content | null): void {
    const key = this.real(path);
    this.#todo.delete(path);
    if (after !== null && content !== null) this.#contents.keep(key, after, content.bytes, content.hash);
    else this.#contents.forget(key);
    if (after !== null && !this.#contents.has(key) && isCopied(after)) this.#todo.set(path, after);
  }

  /** Reads git's index again if it has changed, and finds out for which files it vouches now. */
  async refreshGit(): Promise<void> {
    if (this.#git !== null && (await this.#git.isCurrent())) return;
    this.#git = await GitIndex.read(this.tree.root);
    if (this.#git === null) return;
    for (const { path, stat } of this.tree.entries()) {
      if (path.endsWith('/.gitattributes') && this.#changesContent(path)) {
        this.#git = null;
        break;
      }
      if (isCopied(stat) && !this.#contents.has(this.real(path))) this.#todo.set(path, stat);
    }
  }

  #changesContent(path: string): boolean {
    try {
      return changesContent(readFileSync(this.real(path), 'utf8'));
    } catch (error) {
      if (errorCode(error) === '') throw error;
      return true;
    }
  }

  /** Copies what git doesn't vouch for, until the time is over. Answers whether nothing is left to do. */
  copyUntil(isOver: () => boolean): boolean {
    for (const [path, stat] of this.#todo) {
      if (isOver()) return false;
      this.#todo.delete(path);
      if (this.#contents.isFull || this.#git?.objectOf(path, stat) != null) continue;
      const bytes = readAs(this.real(path), stat, COPIED_BYTES);
      if (bytes !== null) this.#contents.keep(this.real(path), stat, bytes);
    }
    return true;
  }
}

const isCopied = (stat: FileStat): boolean => isRegular(stat) && stat.size <= COPIED_BYTES;
