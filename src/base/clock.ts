import type { Clock } from './timeSource';

export type { Clock } from './timeSource';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    return { dispose: () => clearTimeout(timer) };
  },
};
