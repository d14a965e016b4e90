import type { EventBody, TeamEvent } from '../shared/events';
import { fits, reduce } from '../shared/reduce';
import type { State } from '../shared/state';

/**
 * Events of one decision as they are made: each is applied to a copy of the state at once, so that later ones see
 * what earlier ones caused and get the right ids. The state that came in is never changed.
 */
export class Draft {
  readonly events: TeamEvent[] = [];
  readonly now: number;
  #state: State;

  constructor(state: State, now: number) {
    this.#state = state;
    this.now = now;
  }

  get state(): State {
    return this.#state;
  }

  /** Throws if the event makes no sense: that is a fault of the decision, never of its input. */
  push(body: EventBody): void {
    const event: TeamEvent = { ...body, at: this.now };
    if (!fits(this.#state, event))
      throw new Error(`a decision made an event that does not fit: ${event.type}`);
    this.#state = reduce(this.#state, event);
    this.events.push(event);
  }
}
