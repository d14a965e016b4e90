import { Worker } from 'node:worker_threads';
import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import type {
  EventRow,
  HistoryDamage,
  HistoryFactory,
  HistoryPlace,
  HistoryPort,
  MessageHit,
} from './historyPort';
import { StoreFailure, type StoreFailureCode } from './port';

export interface WorkerHistoryOptions {
  /** Path of the bundled worker (storeWorker.js). */
  readonly script: string;
  /** Path of sql-wasm.wasm. */
  readonly wasm: string;
  readonly clock: Clock;
  readonly log: Log;
}

export type WorkerAnswer =
  | { readonly type: 'done'; readonly n: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly n: number; readonly code: StoreFailureCode; readonly message: string }
  | { readonly type: 'damage'; readonly damage: HistoryDamage };

/** Unused for so many milliseconds, the worker ends and gives its memory back. */
const IDLE_MS = 30_000;

/** The history in a worker thread, which is started by the first call and ends when it isn't used. */
export const workerHistory =
  (options: WorkerHistoryOptions): HistoryFactory =>
  (place, onDamage) =>
    new WorkerHistory(options, place, onDamage);

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreFailure) => void;
}

class WorkerHistory implements HistoryPort {
  readonly #options: WorkerHistoryOptions;
  readonly #place: HistoryPlace;
  readonly #onDamage: (damage: HistoryDamage) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #calls = 0;
  #idle: Disposable | null = null;

  constructor(options: WorkerHistoryOptions, place: HistoryPlace, onDamage: (damage: HistoryDamage) => void) {
    this.#options = options;
    this.#place = place;
    this.#onDamage = onDamage;
  }

  // The answers come from our own code in the worker, built together with this: their shapes are taken as given.
  pageEvents(fromSeq: number, limit: number, upTo: number): Promise<readonly EventRow[]> {
    return this.#call('pageEvents', [fromSeq, limit, upTo]) as Promise<readonly EventRow[]>;
  }

  searchMessages(text: string, limit: number, upTo: number): Promise<readonly MessageHit[]> {
    return this.#call('searchMessages', [text, limit, upTo]) as Promise<readonly MessageHit[]>;
  }

  save(epoch: number, upTo: number): Promise<{ readonly seq: number; readonly bytes: number }> {
    return this.#call('save', [epoch, upTo]) as Promise<{ seq: number; bytes: number }>;
  }

  async close(): Promise<void> {
    this.#idle?.dispose();
    this.#idle = null;
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#endWaiting('closed', 'the session is closed');
  }

  #call(method: string, args: readonly unknown[]): Promise<unknown> {
    this.#idle?.dispose();
    this.#idle = null;
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    this.#calls += 1;
    const n = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, { resolve, reject });
      // A process waits for an answer, not for an idle worker.
      worker.ref();
      worker.postMessage({ n, method, args });
    });
  }

  #start(): Worker {
    const { script, wasm, log } = this.#options;
    const worker = new Worker(script, { workerData: { ...this.#place, wasm } });
    worker.on('message', (answer: WorkerAnswer) => this.#settle(worker, answer));
    worker.on('error', (error) => log.error('the history worker failed', error));
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#endWaiting('io', 'the history worker ended');
    });
    return worker;
  }

  #settle(worker: Worker, answer: WorkerAnswer): void {
    if (answer.type === 'damage') {
      this.#onDamage(answer.damage);
      return;
    }
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if (answer.type === 'done') waiting?.resolve(answer.value);
    else waiting?.reject(new StoreFailure(answer.code, answer.message));
    if (this.#waiting.size > 0 || this.#worker !== worker) return;
    worker.unref();
    this.#idle?.dispose();
    this.#idle = this.#options.clock.after(IDLE_MS, () => void this.#endIdle(worker));
  }

  async #endIdle(worker: Worker): Promise<void> {
    if (this.#worker !== worker || this.#waiting.size > 0) return;
    this.#worker = null;
    await worker.terminate();
  }

  #endWaiting(code: StoreFailureCode, message: string): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new StoreFailure(code, message));
  }
}
