import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { asFailure, type FilePort, type StoreFile, writeFully } from './files';
import { encodeCommit } from './frame';
import { StoreFailure } from './port';
import { type Position, segmentHead, segmentName } from './segments';

/** A segment that has grown to this many bytes is followed by a new one. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/**
 * After so many milliseconds without a commit the lease is looked at before the next: this process may have slept.
 * Shorter than the time after which a window that doesn't answer is passed over.
 */
const FENCE_AFTER_MS = 1_000;

export interface JournalOptions {
  readonly files: FilePort;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  readonly schema: number;
  /** Sequence number of the newest durable record. */
  readonly seq: number;
  /** Runs before each flush: what must be on the disk before the records are. */
  readonly before: () => Promise<void>;
  /** Whether this window still holds the lease. */
  readonly mayWrite: () => Promise<boolean>;
  /** After each flush, with the places where its commits ended. */
  readonly onFlushed: (ends: readonly Position[], bytes: number) => void;
}

interface Waiting {
  readonly seq: number;
  readonly records: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: StoreFailure) => void;
}

/**
 * The writing side of a session's journal. Calls that arrive while a flush is under way share the next one; when
 * none is, a flush begins at once. After a failure nothing more is written: what the disk holds of the failed flush
 * is unknown until the journal is opened again.
 */
export class Journal {
  readonly #options: JournalOptions;
  #file: StoreFile | null = null;
  #segment = '';
  /** Bytes of the current segment that are known to be on the disk. */
  #offset = 0;
  #durable: number;
  #assigned: number;
  #queue: Waiting[] = [];
  #running: Promise<void> | null = null;
  #failure: StoreFailure | null = null;
  #closed = false;
  #lastFlushAt: number | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#durable = options.seq;
    this.#assigned = options.seq;
  }

  /** Newest record given a number, flushed or not; after a failure the newest durable one. */
  get seq(): number {
    return this.#assigned;
  }

  get durableSeq(): number {
    return this.#durable;
  }

  get failure(): StoreFailure | null {
    return this.#failure;
  }

  /** Whether nothing waits for the disk. */
  get idle(): boolean {
    return this.#running === null;
  }

  /** See `SessionStore.append`. Without records it resolves when all earlier ones (and blobs) are durable. */
  append(records: readonly string[]): Promise<void> {
    const refusal =
      this.#failure ?? (this.#closed ? new StoreFailure('closed', 'the session is closed') : null);
    if (refusal !== null) return Promise.reject(refusal);
    // The caller's mistake, not the disk's: only this call is refused.
    if (records.some((record) => record.includes('\n')))
      return Promise.reject(new TypeError('a record must be one line of JSON'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ seq: this.#assigned + 1, records, resolve, reject });
      this.#assigned += records.length;
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is under way any more, whether it went well or not. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #run(): Promise<void> {
    // Calls made in the same turn share the first flush.
    await Promise.resolve();
    while (this.#queue.length > 0 && this.#failure === null) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#flush(batch);
      } catch (error) {
        await this.#fail(asFailure(error), batch);
      }
    }
    this.#running = null;
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    const { clock, before, mayWrite, onFlushed, epoch } = this.#options;
    const quietMs = this.#lastFlushAt === null ? null : clock.now() - this.#lastFlushAt;
    // A clock that was set back says nothing about how long it has been.
    if (quietMs === null || quietMs < 0 || quietMs > FENCE_AFTER_MS) {
      if (!(await mayWrite())) throw new StoreFailure('fenced', 'another window took this workspace over');
    }
    await before();
    const frames: Buffer[] = [];
    const ends: Position[] = [];
    const commits = batch.filter(({ records }) => records.length > 0);
    const fresh = this.#file === null || this.#offset >= SEGMENT_BYTES;
    if (commits[0] !== undefined && fresh) frames.push(await this.#begin(commits[0].seq));
    let end = this.#offset + (frames[0]?.length ?? 0);
    for (const { seq, records } of commits) {
      const frame = encodeCommit(epoch, seq, records);
      frames.push(frame);
      end += frame.length;
      ends.push({ segment: this.#segment, offset: end, seq: seq + records.length - 1 });
    }
    if (this.#file !== null && frames.length > 0) {
      await writeFully(
        this.#file,
        frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames),
        this.#offset,
      );
      await this.#file.datasync();
      if (this.#offset === 0) await this.#options.files.syncFolder(this.#options.folder);
    }
    const bytes = end - this.#offset;
    this.#offset = end;
    this.#durable = ends.at(-1)?.seq ?? this.#durable;
    this.#lastFlushAt = clock.now();
    for (const { resolve } of batch) resolve();
    if (ends.length > 0) onFlushed(ends, bytes);
  }

  /** Makes the next segment's file; answers its first line, which is written with the first commit. */
  async #begin(firstSeq: number): Promise<Buffer> {
    const { files, folder, epoch, schema } = this.#options;
    const name = segmentName(firstSeq, epoch);
    const file = await files.create(join(folder, name));
    const previous = this.#file;
    this.#file = file;
    this.#segment = name;
    this.#offset = 0;
    await previous?.close();
    return segmentHead(schema);
  }

  /** Nothing of the failed flush counts: the file is cut back, and all who wait or come later are told the same. */
  async #fail(failure: StoreFailure, batch: readonly Waiting[]): Promise<void> {
    this.#failure = failure;
    this.#assigned = this.#durable;
    this.#options.log.error('the journal can no longer be written', failure);
    try {
      await this.#file?.truncate(this.#offset);
      await this.#file?.datasync();
    } catch (error) {
      // What is left over is a torn tail, or records that nobody was told of; opening finds out which.
      this.#options.log.error('the journal could not be cut back', error);
    }
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const { reject } of waiting) reject(failure);
  }
}
