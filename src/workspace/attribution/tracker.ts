import { constants } from 'node:fs';
import type { FoundChange } from '../attributionPort';
import { countLines } from '../ledger';
import { hashOf } from '../text';
import { Baseline } from './baseline';
import { compare, type Pair, type Seen } from './compare';
import { type Content, Contents } from './contents';
import { type Held, KnownWrites, type Noted } from './knownWrites';
import { isRegular, readAs } from './readFile';
import type { Difference, FileStat } from './tree';

/** A file that is longer is named, but what it holds is not kept: it can't be undone. */
const KEPT_BYTES = 5_000_000;
/** What one look keeps of contents, before and after, together. */
const LOOK_BYTES = 50_000_000;
/** How long the first command of a folder waits for copies; the rest are made while nothing is asked for. */
const COPY_MS = 1000;

/** What was found between two looks, and the commands that ran then; `recorder` is the one to whom it is put. */
export interface Found {
  readonly recorder: number;
  readonly others: readonly number[];
  readonly changes: readonly FoundChange[];
}

/**
 * Looks at the workspace at the beginning and the end of every command. What differs between two looks was done by the
 * commands that ran then: by one alone, or, when several ran, by one of them, nobody knows which. It is put once, to the
 * one that ends, or else to the one that began last, and shared with the others. What differs when none ran is the
 * person's or somebody's outside. Changes are handed on at each look, so their order is that in which they happened.
 */
export class Tracker {
  readonly known = new KnownWrites();
  readonly #contents = new Contents();
  readonly #folders: Baseline[];
  readonly #onProblem: (text: string) => void;
  #isComplete = true;
  /** Running commands, in the order in which they began. */
  readonly #running = new Set<number>();

  constructor(
    folders: readonly { readonly name: string; readonly root: string }[],
    onProblem: (text: string) => void,
  ) {
    const roots = folders.map((folder) => folder.root);
    this.#onProblem = onProblem;
    this.#folders = folders.map(
      ({ name, root }) => new Baseline(root, folders.length === 1 ? '' : `${name}/`, roots, this.#contents),
    );
  }

  /** Whether all folders are tracked. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** A command is about to run. */
  async begin(watch: number): Promise<Found | null> {
    const found = await this.#look([...this.#running].at(-1) ?? null);
    this.#running.add(watch);
    const over = performance.now() + COPY_MS;
    for (const folder of this.#folders) {
      await folder.refreshGit();
      folder.copyUntil(() => performance.now() > over);
    }
    return found;
  }

  /** A command has ended. */
  async end(watch: number): Promise<Found | null> {
    const found = await this.#look(watch);
    this.#running.delete(watch);
    return found;
  }

  /** Makes missing copies for so long. Answers whether all are made. */
  catchUp(milliseconds: number): boolean {
    const over = performance.now() + milliseconds;
    return this.#folders.every((folder) => folder.copyUntil(() => performance.now() > over));
  }

  async #look(recorder: number | null): Promise<Found | null> {
    const changes: FoundChange[] = [];
    for (const folder of [...this.#folders]) {
      try {
        changes.push(...(await this.#lookAt(folder, recorder !== null)));
      } catch (error) {
        // The folder's tree is in no known state any more.
        this.#isComplete = false;
        this.#folders.splice(this.#folders.indexOf(folder), 1);
        this.#onProblem(`changes of commands are not recorded: ${String(error)}`);
      }
    }
    this.known.looked();
    if (recorder === null || changes.length === 0) return null;
    return { recorder, others: [...this.#running].filter((each) => each !== recorder), changes };
  }

  async #lookAt(folder: Baseline, attributed: boolean): Promise<readonly FoundChange[]> {
    const differences = await folder.look();
    if (!attributed) {
      for (const each of differences) if (!isUnmoved(each)) folder.learn(each, null);
      return [];
    }
    const told = new Look(folder, this.known, differences, await folder.before(differences));
    return told.changes();
  }
}

/** Seen again only because its time is too fresh to be trusted. */
const isUnmoved = ({ before, after }: Difference): boolean =>
  before !== null && after !== null && before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs;

/** One folder's differences at one look, made into changes. */
class Look {
  readonly #folder: Baseline;
  readonly #known: KnownWrites;
  readonly #differences: readonly Difference[];
  readonly #before: ReadonlyMap<string, Content>;
  readonly #after = new Map<string, Content>();
  /** What the person saved and then a command wrote to again: it can't be told apart. */
  readonly #mixed = new Set<string>();
  #left = LOOK_BYTES;

  constructor(
    folder: Baseline,
    known: KnownWrites,
    differences: readonly Difference[],
    before: ReadonlyMap<string, Content>,
  ) {
    this.#folder = folder;
    this.#known = known;
    this.#differences = differences;
    this.#before = before;
  }

  changes(): readonly FoundChange[] {
    const pairs: Pair[] = [];
    const chained: FoundChange[] = [];
    for (const each of this.#differences) {
      // Nothing to compare a fresh time with.
      if (isUnmoved(each) && !this.#before.has(each.path)) continue;
      const now = this.#read(each);
      this.#folder.learn(each, now);
      if (each.known || this.#isPersons(each)) continue;
      const writes = this.#known.of(this.#folder.real(each.path), now);
      if (writes.length > 0) chained.push(...this.#chain(each, writes, now));
      else pairs.push(this.#pair(each));
    }
    const compared = compare(pairs).map((each) => {
      const before = this.#before.get(each.from ?? each.path) ?? null;
      return this.#change(each, before, this.#after.get(each.path) ?? null);
    });
    return [...compared, ...chained];
  }

  #read({ path, after }: Difference): Content | null {
    if (after === null) return null;
    const bytes = readAs(this.#folder.real(path), after, Math.min(KEPT_BYTES, this.#left));
    if (bytes === null) return null;
    this.#left -= bytes.length;
    const content = { bytes, hash: hashOf(bytes) };
    this.#after.set(path, content);
    return content;
  }

  /** Saved in the editor, and not written to since. */
  #isPersons({ path, after }: Difference): boolean {
    const at = this.#known.savedAt(this.#folder.real(path));
    if (at === null) return false;
    if (after === null || after.mtimeMs <= at) return true;
    this.#mixed.add(path);
    return false;
  }

  #pair({ path, before, after }: Difference): Pair {
    return {
      path,
      before: before === null ? null : seenAs(before, this.#before.get(path)?.hash ?? null),
      after: after === null ? null : seenAs(after, this.#after.get(path)?.hash ?? null),
    };
  }

  /** What came between, before and after writes that are known: those are their writers'. */
  #chain({ path, before, after }: Difference, writes: readonly Noted[], now: Content | null): FoundChange[] {
    const changes: FoundChange[] = [];
    let held: Held | null = this.#before.get(path) ?? null;
    // Not known what it held: then it is taken for what the first write found there.
    let isKnown = held !== null || before === null;
    const step = (next: Held | null): void => {
      if (isKnown && held?.hash !== next?.hash) changes.push(between(this.#folder.prefix + path, held, next));
      isKnown = true;
    };
    for (const write of writes) {
      step(write.before);
      held = write.after;
    }
    if (now !== null || after === null) step(now);
    return changes;
  }

  #change(
    { path, from, kind, before, after }: ReturnType<typeof compare>[number],
    old: Content | null,
    now: Content | null,
  ): FoundChange {
    const { prefix } = this.#folder;
    const isMixed = this.#mixed.has(path);
    const known = !isMixed && (before === null || old !== null) && (after === null || now !== null);
    const contents = isMixed ? { old: null, now } : { old, now };
    return {
      path: prefix + path,
      kind,
      ...(from === null ? {} : { from: prefix + from }),
      ...sides(before, contents.old, after, contents.now),
      ...modes(before, after),
      undoable: known,
    };
  }
}

/** A link has bits that mean nothing. */
const NO_MODE = -1;

const seenAs = (stat: FileStat, hash: string | null): Seen => ({
  ino: stat.ino,
  size: stat.size,
  mtimeMs: stat.mtimeMs,
  mode: isRegular(stat) ? stat.mode & ~constants.S_IFMT : NO_MODE,
  hash,
});

/** A file that went away is given back with the bits that it had. */
function modes(before: Seen | null, after: Seen | null): Pick<FoundChange, 'mode'> {
  if (before !== null && after === null)
    return before.mode === NO_MODE ? {} : { mode: { before: before.mode, after: before.mode } };
  if (before === null || after === null || before.mode === after.mode) return {};
  if (before.mode === NO_MODE || after.mode === NO_MODE) return {};
  return { mode: { before: before.mode, after: after.mode } };
}

type Sides = Pick<FoundChange, 'before' | 'after' | 'beforeHash' | 'afterHash' | 'added' | 'removed'>;

function sides(before: Seen | null, old: Content | null, after: Seen | null, now: Content | null): Sides {
  const isKnown = (before === null || old !== null) && (after === null || now !== null);
  const counts = isKnown ? countLines(old?.bytes ?? null, now?.bytes ?? null) : { added: 0, removed: 0 };
  return {
    before: old?.bytes ?? null,
    after: now?.bytes ?? null,
    beforeHash: before === null ? null : (old?.hash ?? nameless(before)),
    afterHash: after === null ? null : (now?.hash ?? nameless(after)),
    ...counts,
  };
}

/** In the place of a hash of a content that isn't known: equal only to itself. */
const nameless = ({ ino, size, mtimeMs }: Seen): string => `unknown:${ino}:${size}:${mtimeMs}`;

function between(path: string, old: Held | null, now: Held | null): FoundChange {
  const isKnown = old?.bytes !== null && now?.bytes !== null;
  return {
    path,
    kind: old === null ? 'create' : now === null ? 'delete' : 'modify',
    before: old?.bytes ?? null,
    after: now?.bytes ?? null,
    beforeHash: old?.hash ?? null,
    afterHash: now?.hash ?? null,
    ...(isKnown ? countLines(old?.bytes ?? null, now?.bytes ?? null) : { added: 0, removed: 0 }),
    undoable: isKnown,
  };
}
