import type { Log } from '../base/log';
import type { LiveUpdate, SessionChange } from '../runtime/engine';

/** What failed at a model's server goes to the log too: rows pass, and who asks for help needs its words. */
export function logRetry(log: Pick<Log, 'warn'>, update: LiveUpdate): void {
  if (update.type !== 'retry') return;
  const { session, agent, attempt, waitMs, reason } = update;
  log.warn('a model request failed and is tried again', { session, agent, attempt, waitMs, reason });
}

/** The detail is the model's fault in words; the adapter has taken the key out of them. */
export function logFailures(log: Pick<Log, 'warn'>, { session, events }: SessionChange): void {
  for (const event of events)
    if (event.type === 'run.ended' && event.reason === 'error')
      log.warn('a turn ended by an error', { session, run: event.runId, detail: event.detail });
}
