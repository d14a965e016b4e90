import { lstatSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { SerialQueue } from '../base/queue';
import { fail, ok } from '../base/result';
import type { AttributionPort, KnownWrite } from './attributionPort';
import { careOfNames, moreCareful } from './care';
import { readWhole, replaceFile } from './files';
import { DenyRules, outerLevels } from './ignore';
import { inspectCommand } from './inspect';
import { errorCode } from './ioProblem';
import { Leases, leasedProblem } from './leases';
import { confine, freeName, namePlace, type PlaceFolder } from './place';
import type {
  Actor,
  Answer,
  CommandInspection,
  EditorPort,
  FileContent,
  GrepQuery,
  GrepResult,
  Listing,
  PathCare,
  PathProblem,
  PlacedPath,
  PlannedChange,
  WorkspaceFolder,
  WorkspacePort,
} from './port';
import { problemsIn } from './problems';
import { globFiles, grepFiles, listFiles, type SearchPlace } from './search';
import { Seen } from './seen';
import { TEMP_PREFIX } from './tempName';
import { decodeText, hashOf, textProblem } from './text';
import { Trees } from './trees';

export interface GatewayOptions {
  /** The open folders, in order. `path` as the host gives it; links in it are resolved. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly editor: EditorPort;
  /** A name that was never given before, without separators. */
  readonly uniqueName: () => string;
  /** VS Code's own ripgrep; null: searched without it. */
  readonly rgPath?: string | null;
}

/** Files larger than this are not written or planned on: both contents are kept in memory and in the store. */
export const MAX_CHANGED_BYTES = 20_000_000;
/** Headless there are no editors. */
export const noEditor: EditorPort = { isDirty: () => false, didWrite: () => undefined };

/** The one gateway of a window: all sessions share its memory of who saw, wrote and holds what. */
export class Gateway implements WorkspacePort {
  readonly #folders: readonly PlaceFolder[];
  readonly #deny: ReadonlyMap<string, DenyRules>;
  readonly #options: GatewayOptions;
  readonly #leases = new Leases();
  readonly #seen = new Seen();
  readonly trees: Trees;
  /** Is told of every write before it begins, and by what it answers how it ended. Replaced by who watches commands. */
  onWriting: AttributionPort['writing'] = () => () => undefined;
  /** Is told of files that the person is about to save, and has saved. */
  onSaving: AttributionPort['saving'] = () => undefined;
  onSaved: AttributionPort['saved'] = () => undefined;
  readonly problems: WorkspacePort['problems'];
  /** Writes of one file happen one after another; other files don't wait for them. */
  readonly #writing = new Map<string, { readonly queue: SerialQueue; users: number }>();

  private constructor(folders: readonly PlaceFolder[], options: GatewayOptions) {
    this.#folders = folders;
    this.#options = options;
    this.#deny = new Map(folders.map((folder) => [folder.name, new DenyRules(folder.root)]));
    this.problems = async (under) => {
      await this.#refreshDenied();
      return problemsIn(options.editor, folders, under, (folder, path) => this.#denies(folder, path));
    };
    this.trees = new Trees({
      roots: () => folders.map((folder) => folder.root),
      rootOf: (path) => this.#folderOf(path).root,
      isLink: (path) => this.#isLink(path),
      denied: (path) => this.#denies(this.#folderOf(path), this.#inside(path)),
      planRemove: (path, actor) => this.#plan(path, null, actor, 'removed'),
      plan: (path, after, actor) => this.plan(path, after, actor),
      together: (changes, actor, act) => this.#together(changes, actor, act),
    });
  }

  /** Resolves the folders. Rejects if one of them doesn't exist. */
  static async open(options: GatewayOptions): Promise<Gateway> {
    const folders: PlaceFolder[] = [];
    for (const { name, path } of options.folders) {
      const root = await realpath(path);
      const spellings = [...new Set([root, resolve(path)])];
      folders.push({ name: freeName(name === '' ? basename(root) : name, folders), root, spellings });
    }
    return new Gateway(folders, options);
  }

  get folders(): readonly WorkspaceFolder[] {
    return this.#folders;
  }

  async place(path: string): Promise<Answer<PlacedPath>> {
    const named = namePlace(path, this.#folders);
    if (!named.ok) return named;
    const placed = await confine(named.value, path, this.#folders);
    if (!placed.ok) return placed;
    await this.#refreshDenied();
    const { folder, segments } = named.value;
    const denied =
      this.#denies(folder, segments.join('/')) ||
      this.#denies(this.#folderOf(placed.value), this.#inside(placed.value));
    return denied ? fail({ code: 'denied', path, by: '.teamroomignore' }) : placed;
  }

  care(path: PlacedPath): PathCare {
    // Both names count: a plain name may be a link to a careful file, and the other way round.
    const byName = moreCareful(careOfNames(path.shown), careOfNames(this.#inside(path)));
    if (byName !== 'plain') return byName;
    const stats = lstatSync(path.real, { throwIfNoEntry: false });
    // A second name of the file may lie outside the workspace (A9).
    return stats?.isFile() === true && stats.nlink > 1 ? 'protected' : 'plain';
  }

  async inspect(command: string, cwd: PlacedPath): Promise<CommandInspection> {
    await this.#refreshDenied();
    return inspectCommand(command, cwd, {
      folders: this.#folders,
      denies: (folder, path) => this.#denies(folder, path),
      hasRepository: async (folder) =>
        (await outerLevels(folder.root)).length > 0 || isThere(`${folder.root}/.git`),
    });
  }

  async readText(path: PlacedPath, actor: Actor, maxBytes: number): Promise<Answer<FileContent>> {
    const unsaved = this.#unsavedProblem(path);
    if (unsaved !== null) return fail(unsaved);
    const read = await readWhole(path.real, path.shown, maxBytes);
    if (!read.ok) {
      if (read.error.code === 'missing') this.#seen.forget(actor, path.real);
      return read;
    }
    const { bytes } = read.value;
    const text = decodeText(bytes);
    if (!text.ok) return fail({ code: text.error, path: path.shown, bytes: bytes.length });
    const hash = hashOf(bytes);
    this.#seen.note(actor, path.real, hash);
    return ok({ path, bytes, text: text.value, hash });
  }

  async readBytes(path: PlacedPath, maxBytes: number): Promise<Answer<Uint8Array>> {
    const read = await readWhole(path.real, path.shown, maxBytes);
    return read.ok ? ok(read.value.bytes) : read;
  }

  async list(path: PlacedPath, depth: number, limit: number, signal: AbortSignal): Promise<Answer<Listing>> {
    return listFiles(await this.#searchPlace(path), depth, limit, signal);
  }

  async glob(
    pattern: string,
    under: PlacedPath | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Answer<Listing>> {
    return globFiles(await this.#searchPlaces(under), pattern, limit, signal);
  }

  async grep(query: GrepQuery, signal: AbortSignal): Promise<Answer<GrepResult>> {
    const rgPath = this.#options.rgPath ?? null;
    return grepFiles(await this.#searchPlaces(query.under), query, rgPath, signal);
  }

  plan(path: PlacedPath, after: Uint8Array | null, actor: Actor): Promise<Answer<PlannedChange>> {
    return this.#plan(path, after, actor, 'written');
  }

  /** Several planned changes that one act makes, if all of the files are still as they were planned on. */
  #together(
    changes: readonly PlannedChange[],
    actor: Actor,
    act: () => Promise<Answer<null>>,
  ): Promise<Answer<null>> {
    const reals = changes.map((change) => change.path.real).sort();
    return this.#inTurns(reals, async () => {
      for (const change of changes) {
        const problem = await this.#changedSincePlan(change, actor);
        if (problem !== null) return fail(problem);
      }
      const settle = this.onWriting(changes.map(writeOf));
      const done = await act();
      settle(done.ok);
      if (done.ok) for (const change of changes) this.#noteChange(change, actor);
      return done;
    });
  }

  /** @param how a file that goes away need not have been read: what it held is kept */
  async #plan(
    path: PlacedPath,
    after: Uint8Array | null,
    actor: Actor,
    how: 'written' | 'removed',
  ): Promise<Answer<PlannedChange>> {
    const holder = this.#leases.heldByOther(path.real, actor);
    if (holder !== null) return fail(leasedProblem(path, holder, actor));
    const unsaved = this.#unsavedProblem(path);
    if (unsaved !== null) return fail(unsaved);
    if (after !== null && after.length > MAX_CHANGED_BYTES) {
      return fail({ code: 'too_large', path: path.shown, bytes: after.length, limit: MAX_CHANGED_BYTES });
    }
    const now = await this.peek(path);
    if (!now.ok) return now;
    // Before the stale check: told to read first what can't be read, a model would go in circles.
    const unreadable = now.value === null || after === null ? null : textProblem(path, now.value.bytes);
    if (unreadable !== null) return fail(unreadable);
    const stale = this.#staleProblem(path, now.value?.hash ?? null, actor);
    if (stale !== null && !(how === 'removed' && stale.code === 'unread')) return fail(stale);
    if (now.value === null && after === null) return fail({ code: 'missing', path: path.shown });
    return ok({
      path,
      kind: after === null ? 'delete' : now.value === null ? 'create' : 'modify',
      before: now.value?.bytes ?? null,
      after,
      beforeHash: now.value?.hash ?? null,
      afterHash: after === null ? null : hashOf(after),
      ...(now.value === null ? {} : { mode: now.value.mode }),
    });
  }

  async apply(change: PlannedChange, actor: Actor): Promise<Answer<PlacedPath>> {
    const { path } = change;
    return this.#inTurn(path.real, async () => {
      const holder = this.#leases.heldByOther(path.real, actor);
      if (holder !== null) return fail(leasedProblem(path, holder, actor));
      const settle = this.onWriting([writeOf(change)]);
      const written = await this.#put(path, change.after, change.beforeHash, actor, change.mode);
      settle(written.ok);
      if (written.ok) this.#noteChange(change, actor);
      return written;
    });
  }

  /** The actor has brought the file into this state: nobody else writes it before its run ends. */
  #noteChange({ path, afterHash }: PlannedChange, actor: Actor): void {
    this.#leases.take(path.real, actor);
    if (afterHash === null) this.#seen.forget(actor, path.real);
    else this.#seen.note(actor, path.real, afterHash);
    this.#seen.noteWriter(path.real, actor, afterHash);
  }

  /** Why a change can't be done as it was planned; null: it can. */
  async #changedSincePlan({ path, beforeHash }: PlannedChange, actor: Actor): Promise<PathProblem | null> {
    const holder = this.#leases.heldByOther(path.real, actor);
    if (holder !== null) return leasedProblem(path, holder, actor);
    const unsaved = this.#unsavedProblem(path);
    if (unsaved !== null) return unsaved;
    const now = await this.peek(path);
    if (!now.ok) return now.error;
    return (now.value?.hash ?? null) === beforeHash ? null : this.#changedProblem(path, actor);
  }

  release(actor: Actor): void {
    this.#leases.release(actor);
  }

  async peek(
    path: PlacedPath,
  ): Promise<Answer<{ readonly bytes: Uint8Array; readonly hash: string; readonly mode: number } | null>> {
    const read = await readWhole(path.real, path.shown, MAX_CHANGED_BYTES);
    if (read.ok) return ok({ ...read.value, hash: hashOf(read.value.bytes) });
    return read.error.code === 'missing' ? ok(null) : read;
  }

  async restore(
    path: PlacedPath,
    content: Uint8Array | null,
    expectHash: string | null,
    mode: number | null = null,
  ): Promise<Answer<PlacedPath>> {
    return this.#inTurn(path.real, async () => {
      const settle = this.onWriting([
        { real: path.real, before: null, beforeHash: expectHash, after: content },
      ]);
      const written = await this.#put(path, content, expectHash, null, null, mode);
      settle(written.ok);
      if (written.ok) this.#seen.noteWriter(path.real, 'an undo', content === null ? null : hashOf(content));
      return written;
    });
  }

  noteCommand(path: PlacedPath, actor: Actor, hash: string | null): void {
    this.#seen.noteWriter(path.real, actor, hash);
  }

  /** The editor saw a change that isn't ours: the next agent that meets it is told who made it. */
  noteExternalChange(realPath: string, by: string): void {
    this.#seen.noteWriter(realPath, by, 'anything');
    this.onSaved(realPath);
  }

  /** Checks unsaved text once more, right before the write, and replaces the file if it is as expected. */
  async #put(
    path: PlacedPath,
    content: Uint8Array | null,
    expect: string | null,
    actor: Actor | null,
    mode: number | null = null,
    exactMode: number | null = null,
  ): Promise<Answer<PlacedPath>> {
    const unsaved = this.#unsavedProblem(path);
    if (unsaved !== null) return fail(unsaved);
    const root = this.#folderOf(path).root;
    const tempName = `${TEMP_PREFIX}${this.#options.uniqueName()}`;
    const { real, shown } = path;
    const done = await replaceFile({ real, root, shown, content, expect, tempName, mode, exactMode });
    if (!done.ok) return done;
    if (done.value === 'changed') return fail(await this.#changedProblem(path, actor));
    this.#options.editor.didWrite(path.real);
    return ok(path);
  }

  async #changedProblem(path: PlacedPath, actor: Actor | null): Promise<PathProblem> {
    const now = await this.peek(path);
    if (!now.ok) return now.error;
    const by = this.#seen.writerOf(path.real, now.value?.hash ?? null, actor);
    return { code: 'stale', path: path.shown, by };
  }

  #staleProblem(path: PlacedPath, hash: string | null, actor: Actor): PathProblem | null {
    const seen = this.#seen.hash(actor, path.real);
    if (hash === (seen ?? null)) return null;
    if (seen === undefined) return { code: 'unread', path: path.shown };
    return { code: 'stale', path: path.shown, by: this.#seen.writerOf(path.real, hash, actor) };
  }

  #unsavedProblem(path: PlacedPath): PathProblem | null {
    return this.#options.editor.isDirty(path.real) ? { code: 'unsaved', path: path.shown } : null;
  }

  async #inTurn<T>(real: string, job: () => Promise<T>): Promise<T> {
    const turn = this.#writing.get(real) ?? { queue: new SerialQueue(), users: 0 };
    this.#writing.set(real, turn);
    turn.users++;
    try {
      return await turn.queue.run(job);
    } finally {
      turn.users--;
      if (turn.users === 0) this.#writing.delete(real);
    }
  }

  /** Several files at once, always in the same order: two that want the same ones never wait for each other. */
  #inTurns<T>(reals: readonly string[], job: () => Promise<T>): Promise<T> {
    const [first, ...rest] = reals;
    return first === undefined ? job() : this.#inTurn(first, () => this.#inTurns(rest, job));
  }

  /** Whether the path as it was written names a link, not what the link leads to. */
  async #isLink({ shown }: PlacedPath): Promise<boolean> {
    const named = namePlace(shown, this.#folders);
    if (!named.ok) return true;
    const written = join(named.value.folder.root, ...named.value.segments);
    return lstatSync(written, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  }

  #folderOf(path: PlacedPath): PlaceFolder {
    const folder = this.#folders.find((each) => each.name === path.folder);
    if (folder === undefined) throw new Error(`no workspace folder is named ${path.folder}`);
    return folder;
  }

  /** The path as it really lies in its folder, with `/`. */
  #inside(path: PlacedPath): string {
    return relative(this.#folderOf(path).root, path.real).split(sep).join('/');
  }

  async #refreshDenied(): Promise<void> {
    await Promise.all([...this.#deny.values()].map((rules) => rules.refresh()));
  }

  #denies(folder: WorkspaceFolder, path: string): boolean {
    return this.#deny.get(folder.name)?.denies(path) ?? true;
  }

  async #searchPlaces(under: PlacedPath | null): Promise<readonly SearchPlace[]> {
    if (under !== null) return [await this.#searchPlace(under)];
    const roots = this.#folders.map((each) => ({
      shown: this.#folders.length === 1 ? '.' : each.name,
      real: each.root,
      folder: each.name,
    }));
    return Promise.all(roots.map((root) => this.#searchPlace(root)));
  }

  async #searchPlace(path: PlacedPath): Promise<SearchPlace> {
    await this.#refreshDenied();
    const folder = this.#folderOf(path);
    return {
      root: folder.root,
      start: this.#inside(path),
      prefix: this.#folders.length === 1 ? '' : `${folder.name}/`,
      written: path.shown,
      denied: (inside) => basename(inside).startsWith(TEMP_PREFIX) || this.#denies(folder, inside),
    };
  }
}

const writeOf = ({ path, before, beforeHash, after }: PlannedChange): KnownWrite => ({
  real: path.real,
  before,
  beforeHash,
  after,
});

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return false;
  }
}
