import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { ModelAttempts } from './attempt';
import type { EndpointGate } from './endpointGate';
import type { ModelEnd, ModelEvent, ModelFault, ModelPort, ModelRequest, ModelUsage } from './port';
import { addUsage, noUsage } from './price';

export interface RetryOptions {
  readonly clock: Clock;
  /** The one gate of this model's origin. */
  readonly gate: EndpointGate;
  /** Requests made for one answer at most. Default 4. */
  readonly attempts?: number;
  /** Longest wait for the first thing that moves the answer on, in ms. Default 120,000. */
  readonly firstEventMs?: number;
  /** Longest pause between two such things, in ms. Default 90,000. */
  readonly idleMs?: number;
}

const ATTEMPTS = 4;
const FIRST_EVENT_MS = 120_000;
const IDLE_MS = 90_000;

/**
 * Makes a port of single attempts: retries what may succeed later, and ends what has stalled. A retry is harmless even
 * after text was shown, because nothing of an answer is acted on before its end: the `retry` event says that what was
 * shown of this answer is void. Its `attempt` is the number of the attempt that follows the wait, from 1 (a first
 * attempt waits where the endpoint has told another agent to wait).
 */
export class RetryingModel implements ModelPort {
  readonly #model: ModelAttempts;
  readonly #clock: Clock;
  readonly #gate: EndpointGate;
  readonly #attempts: number;
  readonly #firstEventMs: number;
  readonly #idleMs: number;

  constructor(model: ModelAttempts, options: RetryOptions) {
    this.#model = model;
    this.#clock = options.clock;
    this.#gate = options.gate;
    this.#attempts = options.attempts ?? ATTEMPTS;
    this.#firstEventMs = options.firstEventMs ?? FIRST_EVENT_MS;
    this.#idleMs = options.idleMs ?? IDLE_MS;
  }

  written(request: ModelRequest): Promise<string> {
    return this.#model.written(request);
  }

  /** The end's usage is that of all attempts together: a broken-off answer has been paid for too. */
  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    let spent = noUsage;
    for (let attempt = 1; ; attempt++) {
      const entered = yield* this.#enter(attempt, signal);
      if (!entered) return yield aborted('', spent);
      const ticket = this.#gate.ticket();
      const end = yield* this.#once(request, signal);
      spent = addUsage(spent, end.usage);
      if (end.reason !== 'error') {
        if (end.reason !== 'aborted') this.#gate.succeeded(ticket);
        return yield { ...end, usage: spent };
      }
      const waitMs = this.#gate.failed(ticket, end.fault, attempt);
      if (!end.fault.retryable || attempt >= this.#attempts) return yield { ...end, usage: spent };
      yield { type: 'retry', attempt: attempt + 1, waitMs, fault: end.fault };
      if (!(await this.#wait(waitMs, signal))) return yield aborted(end.text, spent);
    }
  }

  /** Waits until the endpoint's gate is open; false: aborted. */
  async *#enter(attempt: number, signal: AbortSignal): AsyncGenerator<ModelEvent, boolean> {
    for (;;) {
      if (signal.aborted) return false;
      const closed = this.#gate.closed();
      if (closed === undefined) return true;
      yield { type: 'retry', attempt, ...closed };
      if (!(await this.#wait(closed.waitMs, signal))) return false;
    }
  }

  /** One attempt under the watchdog; answers its end. */
  async *#once(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, ModelEnd> {
    const own = new AbortController();
    const pass = () => own.abort(signal.reason);
    signal.addEventListener('abort', pass, { once: true });
    const watchdog = new Watchdog(this.#clock, () => own.abort());
    watchdog.arm(this.#firstEventMs);
    let text = '';
    try {
      for await (const event of this.#model.attempt(request, own.signal, () => watchdog.arm(this.#idleMs))) {
        if (event.type === 'end') return this.#judge(event, watchdog, signal);
        if (event.type === 'text') text += event.text;
        // Only the server's silence counts, not the time that the consumer takes.
        watchdog.pause();
        yield event;
        watchdog.arm(this.#idleMs);
      }
      return { type: 'end', reason: 'error', text, fault: NO_END, usage: noUsage };
    } catch (error) {
      return { type: 'end', reason: 'error', text, fault: adapterFault(error), usage: noUsage };
    } finally {
      watchdog.pause();
      signal.removeEventListener('abort', pass);
    }
  }

  #judge(end: ModelEnd, watchdog: Watchdog, signal: AbortSignal): ModelEnd {
    if (end.reason !== 'aborted' || signal.aborted || !watchdog.fired) return end;
    const seconds = Math.round(watchdog.limitMs / 1000);
    return {
      type: 'end',
      reason: 'error',
      text: end.text,
      fault: { kind: 'stalled', message: `The model server sent nothing for ${seconds} s.`, retryable: true },
      usage: end.usage,
    };
  }

  /** Waits; false as soon as the signal is aborted. */
  #wait(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const done = (whole: boolean) => {
        timer.dispose();
        signal.removeEventListener('abort', stop);
        resolve(whole);
      };
      const stop = () => done(false);
      const timer = this.#clock.after(ms, () => done(true));
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}

class Watchdog {
  readonly #clock: Clock;
  readonly #onFire: () => void;
  #timer: Disposable | undefined;
  #fired = false;
  limitMs = 0;

  constructor(clock: Clock, onFire: () => void) {
    this.#clock = clock;
    this.#onFire = onFire;
  }

  get fired(): boolean {
    return this.#fired;
  }

  /** Starts the time anew. */
  arm(ms: number): void {
    this.#timer?.dispose();
    if (this.#fired) return;
    this.limitMs = ms;
    this.#timer = this.#clock.after(ms, () => {
      this.#fired = true;
      this.#onFire();
    });
  }

  pause(): void {
    this.#timer?.dispose();
  }
}

const aborted = (text: string, usage: ModelUsage): ModelEnd => ({
  type: 'end',
  reason: 'aborted',
  text,
  usage,
});

const NO_END: ModelFault = {
  kind: 'protocol',
  message: 'The model adapter gave no end.',
  retryable: false,
};

/** An adapter must not throw; if one does, the run is told instead of broken. */
const adapterFault = (error: unknown): ModelFault => ({
  kind: 'protocol',
  message: `The model adapter failed: ${error instanceof Error ? error.message : String(error)}`,
  retryable: false,
});
