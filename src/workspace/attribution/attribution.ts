import { readFileSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { SerialQueue } from '../../base/queue';
import type { AttributionPort, CommandWatch, FoundChange, KnownWrite } from '../attributionPort';
import { errorCode } from '../ioProblem';
import type { Actor, WorkspaceFolder } from '../port';
import { nameFor } from '../seen';
import { hashOf } from '../text';
import type { Call, Look, WorkerWord } from './messages';
import type { Found } from './tracker';

export interface AttributionOptions {
  /** Path of the bundled worker (attributionWorker.js). */
  readonly script: string;
  readonly folders: readonly WorkspaceFolder[];
  readonly clock: Clock;
  readonly log: Log;
}

/** After so long without a command the worker ends, and gives its memory back; the next one looks at everything anew. */
const IDLE_MS = 600_000;

/** Of a longer file that the person saves it isn't told apart what the commands did to it. */
const SAVED_BYTES = 5_000_000;

/** null: no file; undefined: it can't be told. Read at once: right before and after a save, and seldom. */
function contentNow(real: string): Uint8Array | null | undefined {
  try {
    const stats = statSync(real, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    return stats.isFile() && stats.size <= SAVED_BYTES ? readFileSync(real) : undefined;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return undefined;
  }
}

interface Watched {
  readonly actor: Actor;
  readonly onChanges: (changes: readonly FoundChange[]) => Promise<void>;
}

/** The window's one watch over what commands change. All of the work is done in a thread, started by the first command. */
export class Attribution implements AttributionPort {
  readonly #options: AttributionOptions;
  readonly #watched = new Map<number, Watched>();
  readonly #waiting = new Map<number, (look: Look | null) => void>();
  /** What files held that the person is saving; undefined: not known. */
  readonly #saving = new Map<string, Uint8Array | null | undefined>();
  /** Looks are handed on one after another, in the order in which they were made. */
  readonly #handing = new SerialQueue();
  #worker: Worker | null = null;
  #numbers = 0;
  #idle: Disposable | null = null;
  #disposed = false;

  constructor(options: AttributionOptions) {
    this.#options = options;
  }

  async begin(actor: Actor, onChanges: Watched['onChanges']): Promise<CommandWatch> {
    const watch = ++this.#numbers;
    this.#watched.set(watch, { actor, onChanges });
    // What the commands that run already have done until now.
    const look = await this.#look('begin', watch);
    await this.#handOn(look?.found ?? null);
    const worker = this.#worker;
    return {
      end: async () => {
        if (this.#disposed || !this.#watched.has(watch)) return false;
        // None, or another one: it doesn't know what was there before.
        const look = worker !== null && this.#worker === worker ? await this.#look('end', watch) : null;
        const handedOn = look === null ? false : await this.#handOn(look.found);
        if (look === null)
          this.#options.log.error(`what a command of ${actor.agentName}'s changed is not known`);
        this.#watched.delete(watch);
        this.#rest();
        return handedOn && look?.complete === true;
      },
    };
  }

  writing(writes: readonly KnownWrite[]): (done: boolean) => void {
    const id = ++this.#numbers;
    // Nobody looks: then there is nobody to whom it could be put by mistake.
    if (this.#worker === null || writes.length === 0) return () => undefined;
    this.#post({ type: 'writing', id, writes });
    return (done) => this.#post({ type: 'settled', id, done });
  }

  saving(real: string): void {
    if (this.#watched.size > 0) this.#saving.set(real, contentNow(real));
  }

  saved(real: string): void {
    const before = this.#saving.get(real);
    this.#saving.delete(real);
    if (this.#watched.size === 0) return;
    const after = before === undefined ? undefined : contentNow(real);
    // As a tool's write: its contents are known on both sides.
    if (before !== undefined && after !== undefined) {
      const beforeHash = before === null ? null : hashOf(before);
      this.writing([{ real, before, beforeHash, after }])(true);
      return;
    }
    this.#post({ type: 'saved', real, at: this.#options.clock.now() });
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#stop();
  }

  /** Answers whether it was taken. */
  async #handOn(found: Found | null): Promise<boolean> {
    const watched = found === null ? undefined : this.#watched.get(found.recorder);
    if (found === null || watched === undefined) return true;
    // Named now: the others may have ended when it is their turn.
    const sharedWith = this.#names(watched.actor, found.others);
    const changes =
      sharedWith.length === 0 ? found.changes : found.changes.map((change) => ({ ...change, sharedWith }));
    return this.#handing.run(async () => {
      try {
        await watched.onChanges(changes);
        return true;
      } catch (error) {
        this.#options.log.error('changes of a command could not be recorded', error);
        return false;
      }
    });
  }

  /** Who else it may have been. An agent's own other command is no one else. */
  #names(actor: Actor, watches: readonly number[]): readonly string[] {
    const names = watches.flatMap((watch) => {
      const other = this.#watched.get(watch)?.actor;
      if (other === undefined || (other.session === actor.session && other.agent === actor.agent)) return [];
      return [nameFor(other, actor)];
    });
    return [...new Set(names)];
  }

  /** null: it can't be told; then the log says why. */
  #look(type: 'begin' | 'end', watch: number): Promise<Look | null> {
    if (this.#disposed) return Promise.resolve(null);
    this.#idle?.dispose();
    this.#idle = null;
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    const n = ++this.#numbers;
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve);
      // A process waits for an answer, not for an idle worker.
      worker.ref();
      this.#post({ type, n, watch });
    });
  }

  #start(): Worker {
    const { script, folders, log } = this.#options;
    const plain = folders.map(({ name, root }) => ({ name, root }));
    const worker = new Worker(script, { workerData: { folders: plain } });
    worker.on('message', (word: WorkerWord) => this.#hear(worker, word));
    worker.on('error', (error) => log.error('the worker that finds what commands change failed', error));
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#endWaiting();
    });
    return worker;
  }

  // The words come from our own code in the worker, built together with this: their shapes are taken as given.
  #hear(worker: Worker, word: WorkerWord): void {
    if (word.type === 'problem') {
      this.#options.log.error(word.text);
      return;
    }
    if (word.type === 'failed')
      this.#options.log.error('what commands changed could not be found', word.text);
    this.#waiting.get(word.n)?.(word.type === 'looked' ? word : null);
    this.#waiting.delete(word.n);
    if (this.#waiting.size === 0) worker.unref();
  }

  #post(call: Call): void {
    this.#worker?.postMessage(call);
  }

  #rest(): void {
    if (this.#watched.size > 0 || this.#disposed) return;
    this.#idle?.dispose();
    this.#idle = this.#options.clock.after(IDLE_MS, () => void this.#stop());
  }

  async #stop(): Promise<void> {
    this.#idle?.dispose();
    this.#idle = null;
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#endWaiting();
  }

  #endWaiting(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const resolve of waiting) resolve(null);
  }
}
