/** A row of the journal, for paging. */
export interface EventRow {
  readonly seq: number;
  readonly agent: string | null;
  readonly type: string;
  readonly json: string;
}

/** A message that holds the words looked for. */
export interface MessageHit {
  /** Sequence number of the event that posted it. */
  readonly seq: number;
  readonly id: string;
}

/**
 * Questions about the whole history of one session. It is derived from the journal and can always be built again.
 * `upTo` is the newest durable sequence number: rows that aren't in the database yet are taken from the journal
 * first. All calls reject with StoreFailure.
 */
export interface HistoryPort {
  /** Events from `fromSeq` on, in order, at most `limit`. */
  pageEvents(fromSeq: number, limit: number, upTo: number): Promise<readonly EventRow[]>;
  /** Messages that hold words beginning with each of the words given, newest first, at most `limit`. */
  searchMessages(text: string, limit: number, upTo: number): Promise<readonly MessageHit[]>;
  /** Writes the database's next generation, named after the writer's epoch; answers its size. */
  save(epoch: number, upTo: number): Promise<{ readonly seq: number; readonly bytes: number }>;
  /** Ends what runs; the next call starts it again. */
  close(): Promise<void>;
}

/** What a history is opened with. */
export interface HistoryPlace {
  /** The session's folder. */
  readonly folder: string;
  /** The newest format that this version knows. */
  readonly schema: number;
  /** Whether this window may put a damaged file aside. */
  readonly repair: boolean;
}

/** A damaged database was found; it is built again from the journal, so nothing is lost. */
export interface HistoryDamage {
  readonly name: string;
  readonly reason: string;
}

/** How a store gets the history of one session; the adapter is chosen by the host. */
export type HistoryFactory = (place: HistoryPlace, onDamage: (damage: HistoryDamage) => void) => HistoryPort;
