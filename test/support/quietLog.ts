import type { Log } from '../../src/base/log';

/** For tests that look at results, not at diagnostics. */
export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
