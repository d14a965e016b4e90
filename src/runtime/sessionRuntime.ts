import type { Emitter } from '../base/event';
import type { Log } from '../base/log';
import type { TeamEvent } from '../shared/events';
import type { CallId, SessionId } from '../shared/ids';
import { reduce } from '../shared/reduce';
import type { State } from '../shared/state';
import type { SessionStore } from '../store/port';
import type { Command, Facts, Refusal } from '../team/commands';
import { decide } from '../team/decide';
import type { SessionChange } from './engine';

export type Dispatched =
  | {
      readonly ok: true;
      readonly events: readonly TeamEvent[];
      /** The head state right after these events. */
      readonly state: State;
      /** Resolves when the events are durable; rejects when they can't be. */
      readonly flushed: Promise<void>;
    }
  | { readonly ok: false; readonly error: Refusal };

/**
 * One session's state and the only place that decides, appends, reduces and announces. Decisions are made on the
 * head state, which includes events not yet flushed; announcements wait for the flush.
 */
export class SessionRuntime {
  readonly id: SessionId;
  readonly store: SessionStore;
  readonly #facts: () => Facts;
  readonly #log: Log;
  readonly #changes: Emitter<SessionChange>;
  #head: State;
  #durable: State;
  #lastFlush: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  readonly #onFailure: (error: Error) => void;
  readonly #onDecided: (events: readonly TeamEvent[]) => void;

  constructor(options: {
    readonly id: SessionId;
    readonly store: SessionStore;
    readonly state: State;
    readonly facts: () => Facts;
    readonly log: Log;
    readonly changes: Emitter<SessionChange>;
    readonly onFailure: (error: Error) => void;
    /** Called at once with what was decided, before the flush: for stopping what must stop. */
    readonly onDecided: (events: readonly TeamEvent[]) => void;
  }) {
    this.id = options.id;
    this.store = options.store;
    this.#head = options.state;
    this.#durable = options.state;
    this.#facts = options.facts;
    this.#log = options.log;
    this.#changes = options.changes;
    this.#onFailure = options.onFailure;
    this.#onDecided = options.onDecided;
    this.store.setCheckpointSource(() => ({ seq: this.#durable.seq, state: this.#durable }));
  }

  /** Includes events that are not flushed yet. */
  get state(): State {
    return this.#head;
  }

  /** What would be there after a crash now. */
  get durable(): State {
    return this.#durable;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  facts(): Facts {
    return this.#facts();
  }

  /**
   * Decides on the head state and, unless refused, appends, reduces and announces.
   * @param call the tool call that does this to the team: recorded with the fact, so that it can't happen twice
   */
  dispatch(command: Command, call?: CallId): Dispatched {
    if (this.#failure !== null) {
      return {
        ok: false,
        error: { code: 'not_allowed', what: `the session is read-only: ${this.#failure.message}` },
      };
    }
    const decision = decide(this.#head, command, this.#facts());
    if (!decision.ok) return decision;
    const events = call === undefined ? decision.value : stamped(decision.value, call);
    if (events.length === 0) return { ok: true, events, state: this.#head, flushed: this.#lastFlush };
    let state = this.#head;
    for (const event of events) state = reduce(state, event);
    this.#head = state;
    const flushed = this.#append(events, state);
    this.#onDecided(events);
    return { ok: true, events, state, flushed };
  }

  /** Resolves when everything dispatched so far is durable. */
  flushed(): Promise<void> {
    return this.#lastFlush;
  }

  #append(events: readonly TeamEvent[], state: State): Promise<void> {
    const flush = this.store.append(events.map((event) => JSON.stringify(event))).then(
      () => {
        if (this.#failure !== null) throw this.#failure;
        this.#durable = state;
        this.#changes.fire({ session: this.id, state, events });
      },
      (error: unknown) => {
        throw this.#fail(error);
      },
    );
    // Most callers wait for a later flush or for none; a rejection is handled once, in `#fail`.
    flush.catch(() => undefined);
    this.#lastFlush = flush;
    return flush;
  }

  /** A failed flush: nothing undurable may be acted on; the state goes back to what is on the disk. */
  #fail(error: unknown): Error {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (this.#failure === null) {
      this.#failure = failure;
      this.#head = this.#durable;
      this.#log.error(`session ${this.id}: the journal could not be written`, failure);
      this.#onFailure(failure);
    }
    return this.#failure;
  }
}

function stamped(events: readonly TeamEvent[], call: CallId): readonly TeamEvent[] {
  const [first, ...rest] = events;
  return first === undefined ? events : [{ ...first, call }, ...rest];
}
