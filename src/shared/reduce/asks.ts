import type { AskId } from '../ids';
import type { AskPhase, State } from '../state';
import { add, change, closed, type Handlers, opened } from './handler';

/** An ask is answered or withdrawn once; what comes later changes nothing. */
function settle(state: State, id: AskId, phase: AskPhase): State | null {
  const settled = change(state, 'asks', id, (ask) =>
    ask.phase.status === 'open' ? { ...ask, phase } : null,
  );
  return settled === null ? null : closed(settled, 'asks', id);
}

export const askHandlers: Handlers<'ask.opened' | 'ask.answered' | 'ask.withdrawn'> = {
  'ask.opened': (state, event) => {
    const added = add(state, 'asks', { ...event.ask, at: event.at, phase: { status: 'open' } });
    return added === null ? null : opened(added, 'asks', event.ask.id);
  },
  'ask.answered': (state, event) =>
    settle(state, event.askId, { status: 'answered', at: event.at, answer: event.answer }),
  'ask.withdrawn': (state, event) => settle(state, event.askId, { status: 'withdrawn', at: event.at }),
};
