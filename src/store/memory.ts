import type { BlobId } from '../shared/ids';
import type { Text } from '../shared/text';
import { asText, blobIdOf } from './blobs';
import { type MessageRow, rowsOf } from './eventRow';
import type { EventRow, MessageHit } from './historyPort';
import {
  type OpenedSession,
  type SessionListing,
  type SessionStore,
  StoreFailure,
  type StoreFailureCode,
  type WorkspaceStore,
} from './port';
import { wordsOf } from './words';

/** What tests do to a store in memory. */
export interface MemoryFaults {
  /** The next flush fails so; all later ones too, until the session is opened again. */
  failNext: StoreFailureCode | null;
  /** Every flush waits for it: a slow disk. Set before the append; null = none. */
  hold: Promise<void> | null;
}

/** What is durable of one session: it outlives its store, as a disk does a process. */
interface Disk {
  readonly records: string[];
  readonly blobs: Map<BlobId, Uint8Array>;
  checkpoint: { readonly seq: number; readonly state: unknown } | null;
  listing: SessionListing;
}

const CLOSED = new StoreFailure('closed', 'the session is closed');

/** The store in memory, for tests: what was acknowledged survives `open`, what wasn't is gone. */
export class MemoryWorkspaceStore implements WorkspaceStore {
  readonly faults: MemoryFaults = { failNext: null, hold: null };
  readonly #disks = new Map<string, Disk>();
  readonly #open = new Map<string, MemorySession>();

  async list(): Promise<readonly SessionListing[]> {
    return [...this.#disks.values()].map(({ listing }) => listing);
  }

  async describe(listing: SessionListing): Promise<void> {
    this.#diskOf(listing.id).listing = listing;
  }

  async create(id: string): Promise<SessionStore> {
    if (this.#disks.has(id)) throw new StoreFailure('io', `there is a session ${id} already`);
    const listing = { id, title: '', createdAt: 0, changedAt: 0, style: '', open: true };
    this.#disks.set(id, { records: [], blobs: new Map(), checkpoint: null, listing });
    return (await this.open(id)).store;
  }

  /** Like a reopening after a crash: what an earlier store of the session had not flushed is gone. */
  async open(id: string): Promise<OpenedSession> {
    const disk = this.#diskOf(id);
    this.#open.get(id)?.crash();
    const store = new MemorySession(disk, this.faults);
    this.#open.set(id, store);
    const { checkpoint } = disk;
    const after = checkpoint?.seq ?? 0;
    const tail = disk.records.map((json, index) => ({ seq: index + 1, json })).slice(after);
    return { store, checkpoint, tail: iterate(tail), notices: [] };
  }

  async remove(id: string): Promise<void> {
    this.#diskOf(id);
    this.#open.get(id)?.crash();
    this.#open.delete(id);
    this.#disks.delete(id);
  }

  async dispose(): Promise<void> {
    for (const session of this.#open.values()) await session.close();
    this.#open.clear();
  }

  /** The durable records of a session. */
  records(id: string): readonly string[] {
    return [...this.#diskOf(id).records];
  }

  /** Cuts the journal to its first `count` records: what a crash at that point would have left. */
  cut(id: string, count: number): void {
    const disk = this.#diskOf(id);
    disk.records.length = Math.min(count, disk.records.length);
    if (disk.checkpoint !== null && disk.checkpoint.seq > count) disk.checkpoint = null;
  }

  #diskOf(id: string): Disk {
    const disk = this.#disks.get(id);
    if (disk === undefined) throw new StoreFailure('io', `no session ${id}`);
    return disk;
  }
}

class MemorySession implements SessionStore {
  readonly #disk: Disk;
  readonly #faults: MemoryFaults;
  readonly #pending = new Map<BlobId, Uint8Array>();
  #waiting: { readonly records: readonly string[]; settle: (failure: StoreFailure | null) => void }[] = [];
  #assigned: number;
  #running: Promise<void> | null = null;
  #failure: StoreFailure | null = null;
  #closing = false;
  #source: (() => { readonly seq: number; readonly state: unknown }) | null = null;

  constructor(disk: Disk, faults: MemoryFaults) {
    this.#disk = disk;
    this.#faults = faults;
    this.#assigned = Math.max(disk.records.length, disk.checkpoint?.seq ?? 0);
  }

  get seq(): number {
    return this.#assigned;
  }

  append(records: readonly string[]): Promise<void> {
    const refusal = this.#failure ?? (this.#closing ? CLOSED : null);
    if (refusal !== null) return Promise.reject(refusal);
    if (records.some((record) => record.includes('\n')))
      return Promise.reject(new TypeError('a record must be one line of JSON'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        records: [...records],
        settle: (failure) => (failure === null ? resolve() : reject(failure)),
      });
      this.#assigned += records.length;
      this.#running ??= this.#run();
    });
  }

  keep(text: string): Text {
    return asText(text, (bytes) => this.keepBytes(bytes).blob);
  }

  keepBytes(bytes: Uint8Array): { readonly blob: BlobId; readonly bytes: number } {
    const blob = blobIdOf(bytes);
    this.#pending.set(blob, bytes.slice());
    return { blob, bytes: bytes.length };
  }

  async read(text: Text): Promise<string> {
    return text.type === 'inline' ? text.text : Buffer.from(await this.readBytes(text.blob)).toString();
  }

  async readBytes(blob: BlobId): Promise<Uint8Array> {
    const bytes = this.#pending.get(blob) ?? this.#disk.blobs.get(blob);
    if (bytes === undefined) throw new StoreFailure('missing_blob', `no body ${blob}`);
    return bytes.slice();
  }

  setCheckpointSource(source: () => { readonly seq: number; readonly state: unknown }): void {
    this.#source = source;
  }

  async checkpoint(): Promise<void> {
    const taken = this.#source?.();
    await this.#running;
    if (taken === undefined || taken.seq === 0 || this.#failure !== null) return;
    if (taken.seq > this.#disk.records.length) return;
    this.#disk.checkpoint = { seq: taken.seq, state: JSON.parse(JSON.stringify(taken.state)) as unknown };
  }

  async pageEvents(fromSeq: number, limit: number): Promise<readonly EventRow[]> {
    const records = this.#disk.records.slice(Math.max(0, fromSeq - 1), Math.max(0, fromSeq - 1) + limit);
    return records.map((json, index) => rowsOf(Math.max(1, fromSeq) + index, json).event);
  }

  async searchMessages(text: string, limit: number): Promise<readonly MessageHit[]> {
    const words = wordsOf(text);
    if (words.length === 0) return [];
    const hits: MessageHit[] = [];
    for (const [index, json] of this.#disk.records.entries()) {
      const { message } = rowsOf(index + 1, json);
      if (message === null) continue;
      const said = wordsOf(await this.#textOf(message));
      if (words.every((word) => said.some((each) => each.startsWith(word))))
        hits.push({ seq: message.seq, id: message.id });
    }
    return hits.reverse().slice(0, limit);
  }

  async close(): Promise<void> {
    this.#closing = true;
    // What was appended before is still flushed.
    await this.#running;
    this.crash();
  }

  async #textOf({ text }: MessageRow): Promise<string> {
    return 'inline' in text ? text.inline : Buffer.from(await this.readBytes(text.blob as BlobId)).toString();
  }

  /** Ends at once, as a killed process does: nothing more is acknowledged. */
  crash(): void {
    this.#end(CLOSED);
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0 && this.#failure === null) {
      const batch = this.#waiting;
      const blobs = [...this.#pending];
      if (this.#faults.hold !== null) await this.#faults.hold;
      const code = this.#faults.failNext;
      this.#faults.failNext = null;
      if (code !== null) this.#end(new StoreFailure(code, 'a fault of the test'));
      if (this.#failure !== null) break;
      this.#waiting = this.#waiting.slice(batch.length);
      for (const [id, bytes] of blobs) this.#disk.blobs.set(id, bytes);
      this.#disk.records.push(...batch.flatMap(({ records }) => records));
      for (const { settle } of batch) settle(null);
    }
    this.#running = null;
  }

  #end(failure: StoreFailure): void {
    this.#failure ??= failure;
    this.#assigned = this.#disk.records.length;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { settle } of waiting) settle(this.#failure);
  }
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
