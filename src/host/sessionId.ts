import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock';

/** Sortable by time and unique everywhere: a timestamp in base 36 and 60 random bits. */
export const newSessionId = (clock: Clock): string =>
  `s${clock.now().toString(36).padStart(9, '0')}${randomBytes(8).toString('hex').slice(0, 15)}`;
