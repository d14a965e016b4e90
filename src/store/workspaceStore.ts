import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { SerialQueue } from '../base/queue';
import { makeDurableFolder, readJson, writeAtomically } from './atomicFile';
import { asFailure, type FilePort, nodeFiles } from './files';
import { recordsOf } from './frame';
import type { HistoryFactory } from './historyPort';
import {
  type OpenedSession,
  type SessionListing,
  type SessionStore,
  StoreFailure,
  type WorkspaceStore,
} from './port';
import { chainOf, scanSegment } from './segments';
import { openSession, SCHEMA, type WriteRight } from './session';

const listingSchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.number(),
  changedAt: z.number(),
  style: z.string(),
  open: z.boolean(),
  archived: z.boolean().optional(),
});
const indexSchema = z.object({ version: z.literal(1), sessions: z.array(listingSchema) });
/** The first record of a journal, as far as a lost listing can be had from it. */
const createdSchema = z.object({
  type: z.literal('session.created'),
  at: z.number(),
  session: z.object({ title: z.string(), style: z.string() }),
});

export interface FolderStoreOptions {
  /** The folder found by `resolveHistoryFolder`. */
  readonly storage: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly history: HistoryFactory;
  /** The lease; null: another window writes, this one only reads. */
  readonly right: WriteRight | null;
  /** For tests of faults; by default Node's file system. */
  readonly files?: FilePort;
  readonly schema?: number;
}

/** The workspace's sessions in a folder: `sessions/<id>/…` and `index.json`, which the folders can give back. */
export interface FolderWorkspaceStore extends WorkspaceStore {
  create(id: string): Promise<SessionStore>;
  open(id: string): Promise<OpenedSession>;
}

export const folderWorkspaceStore = (options: FolderStoreOptions): FolderWorkspaceStore =>
  new FolderStore(options);

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const REMOVED = '.removed-';

class FolderStore implements FolderWorkspaceStore {
  readonly #options: FolderStoreOptions;
  readonly #files: FilePort;
  readonly #sessions: string;
  readonly #index: string;
  readonly #open = new Map<string, SessionStore>();
  /** Changes of the index, and opening and removing, one after another. */
  readonly #queue = new SerialQueue();

  constructor(options: FolderStoreOptions) {
    this.#options = options;
    this.#files = options.files ?? nodeFiles;
    this.#sessions = join(options.storage, 'sessions');
    this.#index = join(options.storage, 'index.json');
  }

  list(): Promise<readonly SessionListing[]> {
    return this.#run(() => this.#list());
  }

  describe(listing: SessionListing): Promise<void> {
    return this.#run(async () => {
      this.#checkRight();
      const folder = this.#folderOf(listing.id);
      if (!(await this.#ids()).includes(listing.id)) throw new StoreFailure('io', `no session ${listing.id}`);
      await writeAtomically(this.#files, join(folder, 'session.json'), JSON.stringify(listing));
      const others = (await this.#list()).filter(({ id }) => id !== listing.id);
      await this.#writeIndex([...others, listing]);
    });
  }

  create(id: string): Promise<SessionStore> {
    return this.#run(async () => {
      this.#checkRight();
      const folder = this.#folderOf(id);
      if ((await this.#ids()).includes(id)) throw new StoreFailure('io', `there is a session ${id} already`);
      await makeDurableFolder(this.#files, this.#sessions);
      await makeDurableFolder(this.#files, folder);
      return (await this.#openFolder(id)).store;
    });
  }

  open(id: string): Promise<OpenedSession> {
    return this.#run(async () => {
      const known = await this.#ids();
      if (!known.includes(id)) throw new StoreFailure('io', `no session ${id}`);
      return this.#openFolder(id);
    });
  }

  remove(id: string): Promise<void> {
    return this.#run(async () => {
      this.#checkRight();
      const folder = this.#folderOf(id);
      await this.#open.get(id)?.close();
      this.#open.delete(id);
      const listed = await this.#list();
      // Renamed first: a session that a crash left half deleted is never listed again.
      const removed = join(this.#sessions, `${REMOVED}${id}`);
      await this.#files.remove(removed);
      await this.#files.rename(folder, removed);
      await this.#files.syncFolder(this.#sessions);
      await this.#writeIndex(listed.filter((listing) => listing.id !== id));
      for (const name of await this.#files.list(this.#sessions))
        if (name.startsWith(REMOVED)) await this.#files.remove(join(this.#sessions, name));
    });
  }

  dispose(): Promise<void> {
    return this.#run(async () => {
      await Promise.all([...this.#open.values()].map((session) => session.close()));
      this.#open.clear();
    });
  }

  #run<T>(job: () => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      try {
        return await job();
      } catch (error) {
        throw asFailure(error);
      }
    });
  }

  #checkRight(): void {
    if (this.#options.right === null)
      throw new StoreFailure('fenced', 'another window writes this workspace');
  }

  /** An id becomes a folder's name, so it must be no path. */
  #folderOf(id: string): string {
    if (!ID.test(id)) throw new StoreFailure('io', `'${id}' can't be a session's id`);
    return join(this.#sessions, id);
  }

  async #ids(): Promise<string[]> {
    return (await this.#files.list(this.#sessions)).filter((name) => ID.test(name));
  }

  /** At most one journal of a session is open: an earlier one is closed first. */
  async #openFolder(id: string): Promise<OpenedSession> {
    const { clock, log, history, right, schema = SCHEMA } = this.#options;
    await this.#open.get(id)?.close();
    this.#open.delete(id);
    const opened = await openSession(this.#folderOf(id), {
      files: this.#files,
      clock,
      log,
      history,
      right,
      schema,
    });
    this.#open.set(id, opened.store);
    return opened;
  }

  /** What the index says of the folders that are there; those it doesn't know are looked into. */
  async #list(): Promise<SessionListing[]> {
    const parsed = indexSchema.safeParse(await readJson(this.#files, this.#index));
    const indexed = new Map(parsed.success ? parsed.data.sessions.map((s) => [s.id, s]) : []);
    const listings: SessionListing[] = [];
    const ids = await this.#ids();
    for (const id of ids) listings.push(indexed.get(id) ?? (await this.#lookInto(id)));
    if (this.#options.right !== null && ids.some((id) => !indexed.has(id))) await this.#writeIndex(listings);
    return listings;
  }

  async #lookInto(id: string): Promise<SessionListing> {
    const folder = this.#folderOf(id);
    const parsed = listingSchema.safeParse(await readJson(this.#files, join(folder, 'session.json')));
    if (parsed.success && parsed.data.id === id) return parsed.data;
    const created = createdSchema.safeParse(await this.#firstRecord(folder));
    const at = created.success ? created.data.at : 0;
    const { title, style } = created.success ? created.data.session : { title: '', style: '' };
    // Whether it has unfinished work isn't known: opening it will tell.
    return { id, title, createdAt: at, changedAt: at, style, open: true };
  }

  async #firstRecord(folder: string): Promise<unknown> {
    const first = chainOf(await this.#files.list(folder))[0];
    if (first === undefined) return null;
    const bytes = Buffer.from(await this.#files.read(join(folder, first.name)));
    const commit = scanSegment(bytes, first, 0, first.firstSeq - 1).commits[0];
    return commit === undefined ? null : parseJson(recordsOf(bytes, commit)[0] ?? '');
  }

  #writeIndex(sessions: readonly SessionListing[]): Promise<void> {
    return writeAtomically(this.#files, this.#index, JSON.stringify({ version: 1, sessions }));
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
