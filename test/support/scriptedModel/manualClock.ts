import type { Clock } from '../../../src/base/clock';
import type { Disposable } from '../../../src/base/disposable';

interface Timer {
  readonly at: number;
  readonly ms: number;
  readonly callback: () => void;
}

/** A clock that the test holds: nothing happens until it is moved on. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  readonly #watchers: { readonly ms: number; readonly resolve: () => void }[] = [];

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  /** Timers that are set now, as the milliseconds they were asked for. */
  get pending(): readonly number[] {
    return [...this.#timers].map((timer) => timer.ms);
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { at: this.#now + ms, ms, callback };
    this.#timers.add(timer);
    for (const watcher of this.#watchers.filter((w) => w.ms === ms)) watcher.resolve();
    return { dispose: () => void this.#timers.delete(timer) };
  }

  /** Resolves when a timer of this length is set, at once if one is. */
  armed(ms: number): Promise<void> {
    if (this.pending.includes(ms)) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ ms, resolve }));
  }

  /** Moves the time on and runs what has become due, in the order of the times. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = until;
  }
}
