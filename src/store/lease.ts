import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { type LeaseRecord, newestEpoch, readLease, rewriteLease, takeEpoch } from './leaseFiles';
import { type Answer, askHolder, LeaseListener, type Question, removeSocket } from './leaseSocket';
import type { LeaseHolder, LeaseState } from './port';
import type { WriteRight } from './session';

/** How long the holder's own window has to answer a main-thread call: milliseconds. */
const PROBE_MS = 1_000;
/** How long a newcomer waits for the holder: the probe, and closing the journal. */
const ASK_MS = 3_000;
/** After this a holder that was told to yield is passed over; its records are fenced by the epoch. */
const TAKE_OVER_MS = 2_000;
/** A lease file without content is just being written, on a file system without links. */
const REREAD_MS = 200;
const TRIES = 20;

export interface LeaseOptions {
  /** The folder that all windows share (global storage). */
  readonly globalFolder: string;
  /** `workspaceKey()` of the workspace's folder. */
  readonly workspace: string;
  readonly pid: number;
  readonly host: string;
  /** XDG_RUNTIME_DIR, or null. */
  readonly runtimeFolder: string | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this window still answers its person; asked when a newcomer wants the workspace. */
  readonly probe: () => Promise<boolean>;
  /** The lease is lost: closes the store. Called once; the newcomer waits for it to resolve. */
  readonly onLost: () => Promise<void>;
}

/**
 * One writer per workspace. There is no heartbeat: a holder that can be connected to is asked, one that can't is
 * gone, and whoever goes on writing after all is fenced by the epoch in each record.
 */
export class Lease implements WriteRight {
  readonly #options: LeaseOptions;
  readonly #folder: string;
  #state: LeaseState;
  #record: LeaseRecord | null = null;
  #listener: LeaseListener | null = null;
  /** Resolves when it is known whether the epoch that was taken is ours. */
  #decided: Promise<void> = Promise.resolve();
  #lost: Promise<void> | null = null;
  #taking: Promise<LeaseState> | null = null;

  private constructor(options: LeaseOptions) {
    this.#options = options;
    this.#folder = join(options.globalFolder, 'leases', options.workspace);
    this.#state = { type: 'elsewhere', holder: { pid: 0, host: '', epoch: 0 } };
  }

  /** Gets the lease if nobody has it; else answers one whose state says who does. Rejects with Node's errors. */
  static async acquire(options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(options);
    await lease.#take(false);
    return lease;
  }

  get state(): LeaseState {
    return this.#state;
  }

  /** The epoch that may write; 0 when another window holds the lease. */
  get epoch(): number {
    return this.#state.type === 'held' ? this.#state.epoch : 0;
  }

  async isCurrent(): Promise<boolean> {
    if (this.#state.type !== 'held') return false;
    if ((await newestEpoch(this.#folder)) <= this.#state.epoch) return true;
    const { epoch, record } = await readLease(this.#folder);
    this.#options.log.warn('another window took the workspace over', { epoch });
    // Not waited for: closing the store waits for the flush that asks here.
    void this.#lose({ pid: record?.pid ?? 0, host: record?.host ?? '', epoch });
    return false;
  }

  /** The person's "Take Over Here": the holder is told to yield, and passed over if it doesn't answer. */
  takeOver(): Promise<LeaseState> {
    this.#taking ??= this.#takeOver();
    return this.#taking;
  }

  /** Gives the lease back; the next window takes it without asking. */
  async release(): Promise<void> {
    const record = this.#record;
    const held = this.#state.type === 'held' && (await this.isCurrent());
    this.#record = null;
    if (held && record !== null) {
      await rewriteLease(this.#folder, { ...record, socket: null });
      const { pid, host, epoch } = record;
      this.#state = { type: 'elsewhere', holder: { pid, host, epoch } };
    }
    await this.#closeListener();
  }

  async #takeOver(): Promise<LeaseState> {
    try {
      // A window that has slept may still think that it holds the lease.
      if (await this.isCurrent()) return this.#state;
      await this.#lost;
      await this.#take(true);
      return this.#state;
    } finally {
      this.#taking = null;
    }
  }

  async #take(force: boolean): Promise<void> {
    const { clock, log, runtimeFolder, pid, host } = this.#options;
    let decide: () => void = () => undefined;
    this.#decided = new Promise((resolve) => {
      decide = resolve;
    });
    // Listening first: whoever reads the new lease can connect to it.
    this.#listener ??= await LeaseListener.start(runtimeFolder, (question) => this.#answer(question), log);
    try {
      let forced = force;
      for (let n = 0; n < TRIES; n++) {
        const { epoch, record } = await this.#read();
        const free = await this.#isFree(record, forced);
        if (!free && record !== null) {
          this.#state = { type: 'elsewhere', holder: { pid: record.pid, host: record.host, epoch } };
          await this.#closeListener();
          return;
        }
        const own = { pid, host, epoch: epoch + 1, socket: this.#listener.path };
        if (await takeEpoch(this.#folder, own)) {
          this.#record = own;
          this.#lost = null;
          this.#state = { type: 'held', epoch: own.epoch };
          if (record?.socket && record.host === host) await removeSocket(record.socket);
          return;
        }
        // Somebody else was faster; the person's word was about the holder of before.
        forced = false;
        await pause(clock, 1 + n);
      }
      throw new Error('the lease is being taken by too many windows at once');
    } finally {
      decide();
    }
  }

  async #read(): Promise<{ readonly epoch: number; readonly record: LeaseRecord | null }> {
    const lease = await readLease(this.#folder);
    if (lease.epoch === 0 || lease.record !== null) return lease;
    await pause(this.#options.clock, REREAD_MS);
    return readLease(this.#folder);
  }

  async #isFree(record: LeaseRecord | null, force: boolean): Promise<boolean> {
    if (record === null || record.socket === null) return true;
    const { clock, pid, host, workspace } = this.#options;
    // A socket of another machine that shares the folder can't be connected to, whether its window lives or not.
    if (record.host !== host) return force;
    const type = force ? 'take_over' : 'ask';
    const question: Question = { type, workspace, epoch: record.epoch, pid, host };
    const answer = await askHolder(record.socket, question, clock, force ? TAKE_OVER_MS : ASK_MS);
    return force || answer === 'unreachable' || answer === 'yielded' || answer === 'other';
  }

  async #answer(question: Question): Promise<Answer> {
    await this.#decided;
    const { workspace } = this.#options;
    if (this.#state.type !== 'held') return 'other';
    if (question.workspace !== workspace || question.epoch !== this.#state.epoch) return 'other';
    if (question.type === 'ask' && (await this.#isAlive())) return 'alive';
    await this.#lose({ pid: question.pid, host: question.host, epoch: question.epoch + 1 });
    return 'yielded';
  }

  async #isAlive(): Promise<boolean> {
    const { probe, clock, log } = this.#options;
    return new Promise((resolve) => {
      const limit = clock.after(PROBE_MS, () => resolve(false));
      const end = (alive: boolean) => {
        limit.dispose();
        resolve(alive);
      };
      probe().then(end, (error: unknown) => {
        log.warn('this window could not be asked', { error: String(error) });
        end(false);
      });
    });
  }

  #lose(holder: LeaseHolder): Promise<void> {
    this.#lost ??= this.#onLost(holder);
    return this.#lost;
  }

  async #onLost(holder: LeaseHolder): Promise<void> {
    const { onLost, log } = this.#options;
    this.#state = { type: 'elsewhere', holder };
    try {
      await onLost();
    } catch (error) {
      log.error('the store could not be closed', error);
    }
  }

  async #closeListener(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    await listener?.close();
  }
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });
