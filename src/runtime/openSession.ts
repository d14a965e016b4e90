import type { Log } from '../base/log';
import { initialState, reduce } from '../shared/reduce';
import { parseRecord } from '../shared/schema';
import type { State } from '../shared/state';
import { type OpenedSession, StoreFailure } from '../store/port';

/**
 * The state of a session from its checkpoint and the journal's tail, by the one reducer.
 * @throws StoreFailure `newer_schema` for an event that this version doesn't know: it must not be dropped silently
 */
export async function replay(opened: OpenedSession, log: Log): Promise<State> {
  let state: State = opened.checkpoint === null ? initialState : completed(opened.checkpoint.state as State);
  for await (const { seq, json } of opened.tail) {
    const events = parseRecord(json);
    if (!events.ok) {
      const why = `record ${seq} can't be read (${events.error.code}): ${events.error.detail}`;
      log.error(why);
      throw new StoreFailure('newer_schema', why);
    }
    for (const event of events.value) state = reduce(state, event);
  }
  return state;
}

/** A checkpoint of an earlier version lacks the tables that have come since. */
const completed = (state: State): State => ({
  ...initialState,
  ...state,
  open: { ...initialState.open, ...state.open },
});
