import type { BlobId } from '../shared/ids';
import type { Text } from '../shared/text';
import type { EventRow, MessageHit } from './historyPort';

/**
 * One session's durable storage. The journal is the truth; a record is durable when its commit resolves. Adapters:
 * the folder store (journal file, blobs, sql.js checkpoint in a worker) and `memory` for tests.
 */
export interface SessionStore {
  /**
   * Appends records in order and resolves when all of them, and every blob put before the call, are flushed to the
   * disk. Calls are group-committed. Rejects with `StoreFailure`; then nothing of this call counts as durable, the
   * file is cut back to its last good record, and every later append rejects too until the store is reopened.
   * The records of one call are one decision: after a crash all of them are there or none.
   * All records of one call are found again or none of them.
   * @param records JSON texts of one line each, one an event; sequence numbers are given by the store, consecutive
   */
  append(records: readonly string[]): Promise<void>;

  /** Keeps a body: inline up to 1 KiB, else as a blob that the next `append` makes durable. */
  keep(text: string): Text;
  keepBytes(bytes: Uint8Array): { readonly blob: BlobId; readonly bytes: number };
  /** The whole body. Rejects with `StoreFailure` if the blob is missing or damaged. */
  read(text: Text): Promise<string>;
  readBytes(blob: BlobId): Promise<Uint8Array>;

  /**
   * Newest record's sequence number, given when `append` is called, before the flush; 0 for an empty journal. After a
   * failure the newest durable one's.
   */
  readonly seq: number;

  /**
   * Tells the store the reduced state as of `seq`, so that opening need not replay everything. The store decides when
   * to write it (records, bytes, idle) and asks for it by this callback. The state is plain JSON and is never changed:
   * it is written bit by bit while the host goes on, and pages of tables (base/table) that were written once are not
   * written again.
   */
  setCheckpointSource(source: () => { readonly seq: number; readonly state: unknown }): void;
  /** Writes a checkpoint now (deactivation). A failure is reported through the log and loses nothing. */
  checkpoint(): Promise<void>;

  /** Durable records from `fromSeq` on, in order, at most `limit`. */
  pageEvents(fromSeq: number, limit: number): Promise<readonly EventRow[]>;
  /** Durable messages that hold words beginning with each of the words given, newest first, at most `limit`. */
  searchMessages(text: string, limit: number): Promise<readonly MessageHit[]>;

  close(): Promise<void>;
}

/** What opening found. `notices` are told to the person. */
export interface OpenedSession {
  readonly store: SessionStore;
  /** The newest good checkpoint, or null. Pages of its tables are parsed when something first looks into them. */
  readonly checkpoint: { readonly seq: number; readonly state: unknown } | null;
  /** Records after the checkpoint, in order. */
  readonly tail: AsyncIterable<{ readonly seq: number; readonly json: string }>;
  readonly notices: readonly StoreNotice[];
}

export type StoreNotice =
  /** The last record was cut off (a crash while writing); it had never been acknowledged. */
  | { readonly type: 'torn_tail'; readonly bytes: number }
  /** The checkpoint could not be used; the file was put aside and the journal replayed instead. */
  | { readonly type: 'checkpoint_unusable'; readonly reason: string; readonly putAside: string }
  /** A record in the middle is damaged: all up to it is kept, the rest put aside. */
  | {
      readonly type: 'broken_middle';
      readonly seq: number;
      readonly lostRecords: number;
      readonly putAside: string;
    };

export type StoreFailureCode =
  | 'disk_full'
  | 'io'
  /** Another window took the workspace over (a higher epoch). */
  | 'fenced'
  /** Written by a newer version of Teamroom. */
  | 'newer_schema'
  | 'missing_blob'
  | 'damaged_blob'
  | 'closed';

export class StoreFailure extends Error {
  readonly code: StoreFailureCode;
  constructor(code: StoreFailureCode, message: string) {
    super(message);
    this.name = 'StoreFailure';
    this.code = code;
  }
}

export interface SessionListing {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly style: string;
  /** True while the session has unfinished work or a command in the background: it is opened at start-up. */
  readonly open: boolean;
  /** Put away by the person. */
  readonly archived?: boolean | undefined;
}

/** All sessions of one workspace. The index can be rebuilt from the session folders. */
export interface WorkspaceStore {
  list(): Promise<readonly SessionListing[]>;
  /** Updates the index; not on the commit path. */
  describe(listing: SessionListing): Promise<void>;
  create(id: string): Promise<SessionStore>;
  /** Rejects with `StoreFailure` (`newer_schema`, `io`). */
  open(id: string): Promise<OpenedSession>;
  remove(id: string): Promise<void>;
  dispose(): Promise<void>;
}

/** Who may write this workspace's history. */
export type LeaseState =
  | { readonly type: 'held'; readonly epoch: number }
  | { readonly type: 'elsewhere'; readonly holder: LeaseHolder };

export interface LeaseHolder {
  readonly pid: number;
  readonly host: string;
  readonly epoch: number;
}
