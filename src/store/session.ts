import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import type { BlobId } from '../shared/ids';
import type { Text } from '../shared/text';
import { asText, Blobs } from './blobs';
import { Checkpointer } from './checkpointer';
import { type LoadedCheckpoint, loadCheckpoint } from './checkpoints';
import { asFailure, type FilePort } from './files';
import type { EventRow, HistoryFactory, HistoryPort, MessageHit } from './historyPort';
import { Journal } from './journal';
import { type OpenedSession, type SessionStore, StoreFailure } from './port';
import { generationsOf } from './sealedFile';
import { chainOf, checkSchema, type Position, type Recovered, readRecords, recover } from './segments';
import { StatePages } from './statePages';

/**
 * The format of what is written: raised when an older version could no longer read it. Older formats are brought up
 * to date where events are checked, record by record.
 */
export const SCHEMA = 1;

/** This window's right to write. */
export interface WriteRight {
  readonly epoch: number;
  /** Whether no other window has a higher epoch. Cheap: one look at a small folder. */
  isCurrent(): Promise<boolean>;
}

export interface SessionOptions {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Log;
  readonly history: HistoryFactory;
  readonly schema: number;
  /** null: another window writes; this one only reads. */
  readonly right: WriteRight | null;
}

/**
 * Opens what lies in a session's folder: the newest good checkpoint and the journal behind it. Blobs and older
 * segments aren't read. Rejects with StoreFailure 'newer_schema', 'disk_full' or 'io'.
 */
export async function openSession(folder: string, options: SessionOptions): Promise<OpenedSession> {
  try {
    return await open(folder, options);
  } catch (error) {
    throw asFailure(error);
  }
}

async function open(folder: string, options: SessionOptions): Promise<OpenedSession> {
  const { files, schema, right } = options;
  const names = await files.list(folder);
  const chain = chainOf(names);
  await checkSchema(files, folder, chain, schema);
  const repair = right !== null;
  if (repair) for (const name of names) if (name.endsWith('.tmp')) await files.remove(join(folder, name));
  const { checkpoint, notices } = await loadCheckpoint(files, folder, { schema, repair });
  const found = await recover(files, folder, { from: checkpoint?.position ?? null, seal: repair });
  const seq = Math.max(found.seq, checkpoint?.seq ?? 0);
  const newestEpoch = Math.max(0, ...chain.map(({ epoch }) => epoch));
  const historySeq = generationsOf(names, 'history')[0]?.seq ?? 0;
  const store = new StoredSession(folder, options, { seq, checkpoint, found, newestEpoch, historySeq });
  return {
    store,
    checkpoint: checkpoint === null ? null : { seq: checkpoint.seq, state: checkpoint.loaded.state },
    tail: { [Symbol.asyncIterator]: () => readRecords(files, folder, found.spans, checkpoint?.seq ?? 0) },
    notices: [...notices, ...found.notices],
  };
}

interface Found {
  readonly seq: number;
  readonly checkpoint: LoadedCheckpoint | null;
  readonly found: Recovered;
  readonly newestEpoch: number;
  readonly historySeq: number;
}

class StoredSession implements SessionStore {
  readonly #blobs: Blobs;
  readonly #history: HistoryPort;
  readonly #openedSeq: number;
  /** null: this window only reads. */
  readonly #writer: { readonly journal: Journal; readonly checkpointer: Checkpointer } | null;
  #closed: Promise<void> | null = null;

  constructor(folder: string, options: SessionOptions, found: Found) {
    const { files, log, schema, right } = options;
    // An epoch of the journal never falls, even when the folder of leases was lost and counting began anew.
    const epoch = Math.max(right?.epoch ?? 0, found.newestEpoch);
    this.#openedSeq = found.seq;
    this.#blobs = new Blobs(files, folder, epoch);
    this.#history = options.history({ folder, schema, repair: right !== null }, (damage) =>
      log.warn('a history database was damaged and is built again', { ...damage }),
    );
    this.#writer = right === null ? null : this.#startWriter(folder, options, { right, found, epoch });
  }

  #startWriter(
    folder: string,
    { files, clock, log, schema }: SessionOptions,
    { right, found, epoch }: { right: WriteRight; found: Found; epoch: number },
  ): { readonly journal: Journal; readonly checkpointer: Checkpointer } {
    const mayWrite = () => right.isCurrent();
    const common = { files, folder, clock, log, epoch, schema, mayWrite };
    const journal = new Journal({
      ...common,
      seq: found.seq,
      before: () => this.#blobs.flush(),
      onFlushed: (ends, bytes) => checkpointer.flushed(ends, bytes),
    });
    const checkpointer = new Checkpointer({
      ...common,
      journal,
      history: this.#history,
      pages: new StatePages(files, folder, found.checkpoint?.loaded ?? null),
      opened: {
        end: endOf(found),
        checkpointSeq: found.checkpoint?.seq ?? 0,
        checkpointEnd: found.checkpoint?.position ?? null,
        tailBytes: found.found.bytes,
        historySeq: found.historySeq,
      },
    });
    return { journal, checkpointer };
  }

  get seq(): number {
    return this.#writer?.journal.seq ?? this.#openedSeq;
  }

  append(records: readonly string[]): Promise<void> {
    if (this.#writer !== null) return this.#writer.journal.append(records);
    return Promise.reject(new StoreFailure('fenced', 'another window writes this workspace'));
  }

  keep(text: string): Text {
    return asText(text, (bytes) => this.#blobs.put(bytes));
  }

  keepBytes(bytes: Uint8Array): { readonly blob: BlobId; readonly bytes: number } {
    return { blob: this.#blobs.put(bytes), bytes: bytes.length };
  }

  async read(text: Text): Promise<string> {
    return text.type === 'inline' ? text.text : Buffer.from(await this.#blobs.get(text.blob)).toString();
  }

  readBytes(blob: BlobId): Promise<Uint8Array> {
    return this.#blobs.get(blob);
  }

  setCheckpointSource(source: () => { readonly seq: number; readonly state: unknown }): void {
    this.#writer?.checkpointer.setSource(source);
  }

  async checkpoint(): Promise<void> {
    if (this.#closed === null) await this.#writer?.checkpointer.write();
  }

  pageEvents(fromSeq: number, limit: number): Promise<readonly EventRow[]> {
    return this.#history.pageEvents(fromSeq, limit, this.#durableSeq);
  }

  searchMessages(text: string, limit: number): Promise<readonly MessageHit[]> {
    return this.#history.searchMessages(text, limit, this.#durableSeq);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  get #durableSeq(): number {
    return this.#writer?.journal.durableSeq ?? this.#openedSeq;
  }

  async #close(): Promise<void> {
    this.#writer?.checkpointer.dispose();
    // What was appended before is still written; then nothing more is.
    await this.#writer?.journal.close();
    // Ending the worker first: a database that is being written would be waited for, and is derived anyway.
    await this.#history.close();
    await this.#writer?.checkpointer.idle();
    await this.#blobs.close();
  }
}

/** Where the journal ended when it was opened. */
function endOf({ found, checkpoint }: Found): Position | null {
  const last = found.spans.at(-1);
  if (last === undefined) return checkpoint?.position ?? null;
  return { segment: last.segment, offset: last.to, seq: found.seq };
}
