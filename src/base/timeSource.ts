import type { Disposable } from './disposable';

/** Time comes in from outside: the host's clock in life, one that the test holds in tests. */
export interface Clock {
  /** Milliseconds since the epoch. May jump; order is given by sequence numbers, never by this. */
  now(): number;
  /** Calls back once after at least `ms` milliseconds; disposing cancels. */
  after(ms: number, callback: () => void): Disposable;
}
