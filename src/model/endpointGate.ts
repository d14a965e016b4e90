import type { Clock } from '../base/clock';
import type { ModelFault } from './port';

/** First wait, its growth limit, and the longest wait of all, in milliseconds. */
const FIRST_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
const LONGEST_WAIT_MS = 120_000;
/** Largest part of a wait that is added by chance, so that 32 agents don't come back in one instant. */
const JITTER = 0.25;

/** A fault of the server as a whole closes the gate for all; others (a cut stream) are the request's own. */
const SHARED: ReadonlySet<ModelFault['kind']> = new Set(['rate_limit', 'overloaded', 'network']);

/**
 * The back-off of one endpoint, shared by all agents that use it: once one is told to wait, all wait, and a server
 * that is down is asked less and less often however many agents there are.
 */
export class EndpointGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** Counts closings: faults of requests that began before the last closing say nothing new. */
  #wave = 0;
  #level = 0;
  #openAt = 0;
  #fault: ModelFault | undefined;

  /** `random` answers in [0, 1). */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Taken before each request, given back with its outcome. */
  ticket(): number {
    return this.#wave;
  }

  /** Why and how long to wait now, in milliseconds with the caller's own jitter; undefined: the gate is open. */
  closed(): { readonly waitMs: number; readonly fault: ModelFault } | undefined {
    if (this.#fault === undefined) return undefined;
    const left = this.#openAt - this.#clock.now();
    // The clock may jump: no jump can make anybody wait longer than a server may ask for.
    return left <= 0
      ? undefined
      : { waitMs: this.#jitter(Math.min(left, LONGEST_WAIT_MS)), fault: this.#fault };
  }

  /** How long the failed request waits before its next attempt; `attempt` counts its failures from 1. */
  failed(ticket: number, fault: ModelFault, attempt: number): number {
    if (!SHARED.has(fault.kind)) return this.#jitter(fault.retryAfterMs ?? backoff(attempt));
    if (ticket === this.#wave) {
      this.#wave++;
      this.#level++;
    }
    const wait = fault.retryAfterMs ?? backoff(this.#level);
    this.#openAt = Math.max(this.#openAt, this.#clock.now() + wait);
    this.#fault = fault;
    return this.#jitter(Math.max(wait, Math.min(this.#openAt - this.#clock.now(), LONGEST_WAIT_MS)));
  }

  succeeded(ticket: number): void {
    if (ticket !== this.#wave) return;
    this.#level = 0;
    this.#openAt = 0;
    this.#fault = undefined;
  }

  #jitter(ms: number): number {
    return Math.round(ms * (1 + JITTER * this.#random()));
  }
}

const backoff = (level: number): number => Math.min(FIRST_MS * 2 ** (level - 1), LONGEST_BACKOFF_MS);
