import type { TeamEvent } from '../events';
import { type AgentId, indexOf, type SessionId } from '../ids';
import { callOf, jobOf, runOf } from '../lookup';
import type { State } from '../state';
import { LiveBuffer, type LiveInput } from './live';
import { noStreaming, type Streaming } from './sentence';

/**
 * What streams in every session that is in memory, whether it is looked at or not. Rows of a state alone need not
 * hear of events: whoever doesn't wait for its model has a row that goes by the state, and every request begins with
 * a word of its own.
 */
export class Streams {
  readonly #sessions = new Map<SessionId, LiveBuffer>();

  take(session: SessionId, update: LiveInput, now: number): void {
    this.buffer(session).take(update, isLead(update.agent), now);
  }

  buffer(session: SessionId): LiveBuffer {
    const live = this.#sessions.get(session) ?? new LiveBuffer();
    this.#sessions.set(session, live);
    return live;
  }

  of(session: SessionId, agent: AgentId): Streaming {
    return this.#sessions.get(session)?.streaming(agent) ?? noStreaming;
  }

  /**
   * The end of an answer is told by the stream itself; what follows it may stream before its events are told.
   * @param state after the events
   */
  change(session: SessionId, state: State, events: readonly TeamEvent[]): void {
    const live = this.#sessions.get(session);
    if (live !== undefined) for (const event of events) endLive(live, state, event);
  }

  /** What streamed in other sessions is forgotten. */
  keep(sessions: ReadonlySet<SessionId>): void {
    for (const session of this.#sessions.keys()) if (!sessions.has(session)) this.#sessions.delete(session);
  }
}

/** A session's first agent. */
const isLead = (agent: AgentId): boolean => indexOf(agent) === 0;

function endLive(live: LiveBuffer, state: State, event: TeamEvent): void {
  switch (event.type) {
    case 'run.ended':
    case 'run.parked':
    case 'run.interrupted': {
      const agent = runOf(state, event.runId)?.agentId;
      if (agent !== undefined) live.end(agent, event.runId);
      return;
    }
    case 'call.finished': {
      const agent = callOf(state, event.callId)?.agentId;
      if (agent !== undefined) live.endOutput(agent, event.callId);
      return;
    }
    case 'job.ended': {
      const job = jobOf(state, event.jobId);
      if (job !== undefined) live.endOutput(job.agentId, job.callId);
      return;
    }
    case 'agent.left':
      live.end(event.agentId, null);
      return;
    default:
  }
}
