import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import { SerialQueue } from '../base/queue';
import type { FilePort } from './files';
import type { HistoryPort } from './historyPort';
import type { Journal } from './journal';
import { writeSealed } from './sealedFile';
import type { Position } from './segments';
import type { StatePages } from './statePages';

/** A checkpoint is due after so many records or bytes of journal, but see `#isDue`. */
const DUE_RECORDS = 1_000;
const DUE_BYTES = 1024 * 1024;
/** The journal has been quiet for so long: milliseconds. Without such a pause it is written at 4 times the measure. */
const STATE_IDLE_MS = 250;
const HISTORY_IDLE_MS = 2_000;
const OVERDUE = 4;
/** A tail of this size makes a checkpoint due however much the last one wrote. */
const LONGEST_TAIL_BYTES = 8 * 1024 * 1024;
/** Beyond this the database isn't written any more: the worker would need several times as much memory (facts). */
const HISTORY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Places remembered; the state asked for is at most a few flushes old. */
const ENDS = 64;

export interface CheckpointerOptions {
  readonly files: FilePort;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  readonly schema: number;
  readonly journal: Pick<Journal, 'durableSeq' | 'idle' | 'append'>;
  readonly history: HistoryPort;
  readonly pages: StatePages;
  readonly mayWrite: () => Promise<boolean>;
  /** What opening found: the checkpoint's place, and how much journal lies behind it. */
  readonly opened: {
    readonly end: Position | null;
    readonly checkpointSeq: number;
    readonly checkpointEnd: Position | null;
    readonly tailBytes: number;
    readonly historySeq: number;
  };
}

/**
 * Decides when the reduced state and the history database are written, and writes the state. Both are derived: a
 * failure is logged and costs time at the next opening, nothing else.
 */
export class Checkpointer implements Disposable {
  readonly #options: CheckpointerOptions;
  readonly #queue = new SerialQueue();
  #source: (() => { readonly seq: number; readonly state: unknown }) | null = null;
  #ends: Position[];
  #base: Position | null;
  #stateSeq: number;
  /** What the last checkpoint wrote, bytes. */
  #lastBytes = 0;
  #historySeq: number;
  #historyBytes = 0;
  #tailBytes: number;
  #lastFlushAt = 0;
  #timer: Disposable | null = null;
  #writing = false;
  #disposed = false;

  constructor(options: CheckpointerOptions) {
    const { end, checkpointSeq, checkpointEnd, tailBytes, historySeq } = options.opened;
    this.#options = options;
    this.#ends = end === null ? [] : [end];
    this.#base = checkpointEnd;
    this.#stateSeq = checkpointSeq;
    this.#historySeq = historySeq;
    this.#tailBytes = tailBytes;
  }

  setSource(source: () => { readonly seq: number; readonly state: unknown }): void {
    this.#source = source;
    this.#arm(STATE_IDLE_MS);
  }

  flushed(ends: readonly Position[], bytes: number): void {
    this.#ends = [...this.#ends, ...ends].slice(-ENDS);
    this.#tailBytes += bytes;
    this.#lastFlushAt = this.#options.clock.now();
    if (this.#isDue(OVERDUE)) this.#writeOnce();
    else this.#arm(STATE_IDLE_MS);
  }

  /** Writes the state now, if there is a newer one than on the disk. */
  write(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        await this.#write();
      } catch (error) {
        this.#options.log.error('the checkpoint could not be written', error);
        // Not at every flush again: as long as it would have lasted.
        this.#tailBytes = 0;
      }
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
    this.#timer = null;
  }

  /** Resolves when nothing is being written any more. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * So that the bytes written per event stay the same whatever the history (B9), the journal must also have grown by
   * what the last checkpoint wrote; but what opening has to replay stays bounded (B8).
   */
  #isDue(times: number): boolean {
    if (this.#source === null) return false;
    const records = this.#options.journal.durableSeq - this.#stateSeq;
    if (this.#tailBytes < Math.min(this.#lastBytes, LONGEST_TAIL_BYTES)) return false;
    return records >= DUE_RECORDS * times || this.#tailBytes >= DUE_BYTES * times;
  }

  /** The database is written whole: when the history has doubled. */
  #isHistoryDue(): boolean {
    if (this.#historyBytes > HISTORY_LIMIT_BYTES) return false;
    return this.#options.journal.durableSeq - this.#historySeq >= Math.max(DUE_RECORDS, this.#historySeq);
  }

  #arm(ms: number): void {
    if (this.#disposed || this.#timer !== null) return;
    if (!this.#isDue(1) && !this.#isHistoryDue()) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      this.#whenQuiet();
    });
  }

  #whenQuiet(): void {
    const { clock, journal } = this.#options;
    // A clock that was set back: as if it had been quiet for long.
    const quiet = Math.abs(clock.now() - this.#lastFlushAt);
    if (!journal.idle || quiet < STATE_IDLE_MS) {
      this.#arm(STATE_IDLE_MS);
      return;
    }
    if (this.#isDue(1)) this.#writeOnce();
    if (!this.#isHistoryDue()) return;
    if (quiet < HISTORY_IDLE_MS) this.#arm(HISTORY_IDLE_MS - quiet);
    else void this.#queue.run(() => this.#saveHistory());
  }

  /** One that is due is waited for, not asked for again by every flush in between. */
  #writeOnce(): void {
    if (this.#writing) return;
    this.#writing = true;
    void this.write().then(() => {
      this.#writing = false;
    });
  }

  async #write(): Promise<void> {
    const { files, folder, epoch, schema, journal, pages, mayWrite, log } = this.#options;
    const taken = this.#source?.();
    if (taken === undefined || taken.seq <= this.#stateSeq) return;
    // The state may be ahead of the disk; it must never be so on the disk.
    if (taken.seq > journal.durableSeq) await journal.append([]);
    const position = this.#ends.findLast(({ seq }) => seq <= taken.seq) ?? this.#base;
    if (position === null) return;
    const before = this.#tailBytes;
    const written = await pages.write(taken.state, `${String(taken.seq).padStart(12, '0')}-${epoch}`);
    if (!(await mayWrite())) {
      log.warn('no checkpoint: another window took this workspace over');
      return;
    }
    const head = { kind: 'state' as const, schema, seq: taken.seq, position };
    await writeSealed(files, folder, epoch, head, written.body);
    await pages.keep(written);
    this.#base = position;
    this.#stateSeq = taken.seq;
    this.#lastBytes = written.bytes;
    this.#tailBytes -= before;
  }

  async #saveHistory(): Promise<void> {
    const { history, journal, epoch, mayWrite, log } = this.#options;
    try {
      if (this.#disposed || !(await mayWrite())) return;
      const { seq, bytes } = await history.save(epoch, journal.durableSeq);
      this.#historySeq = seq;
      this.#historyBytes = bytes;
    } catch (error) {
      log.error('the history could not be written', error);
      // Tried again when as much has come as was missing now.
      this.#historySeq = journal.durableSeq;
    }
  }
}
