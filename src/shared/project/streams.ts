import type { AgentId, SessionId } from '../ids';
import { LiveBuffer, type LiveInput } from './live';
import { noStreaming, type Streaming } from './sentence';

/**
 * What streams in every session that is in memory, for rows of all of them. It need not hear of events: whoever
 * doesn't wait for its model has a row that goes by the state alone, and every request begins with a word of its own.
 */
export class Streams {
  readonly #sessions = new Map<SessionId, LiveBuffer>();

  take(session: SessionId, update: LiveInput, now: number): void {
    const live = this.#sessions.get(session) ?? new LiveBuffer();
    this.#sessions.set(session, live);
    live.take(update, false, now);
  }

  of(session: SessionId, agent: AgentId): Streaming {
    return this.#sessions.get(session)?.streaming(agent) ?? noStreaming;
  }

  /** What streamed in other sessions is forgotten. */
  keep(sessions: ReadonlySet<SessionId>): void {
    for (const session of this.#sessions.keys()) if (!sessions.has(session)) this.#sessions.delete(session);
  }
}
