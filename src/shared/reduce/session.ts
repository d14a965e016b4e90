import type { Session, State } from '../state';
import { add, change, closed, type Handlers, opened } from './handler';

const withSession = (state: State, patch: Partial<Session>): State | null =>
  state.session === null ? null : { ...state, session: { ...state.session, ...patch } };

export const sessionHandlers: Handlers<
  | 'session.created'
  | 'session.renamed'
  | 'session.paused'
  | 'session.archived'
  | 'session.offered'
  | 'settings.changed'
  | 'note.added'
  | 'note.told'
  | 'notes.pressed'
> = {
  'session.created': (state, event) => {
    if (state.session !== null) return null;
    const counters = { paused: false, lastRoomNumber: 0, runsStarted: 0, executionErrors: 0 };
    return { ...state, session: { ...event.session, ...counters } };
  },
  'session.renamed': (state, event) => withSession(state, { title: event.title }),
  'session.paused': (state, event) => withSession(state, { paused: event.paused }),
  'session.archived': (state, event) => withSession(state, { archived: event.archived }),
  'session.offered': (state, event) => withSession(state, { offered: event.offered }),
  'settings.changed': (state, event) => withSession(state, { settings: event.settings }),
  'note.added': (state, event) => {
    const added = add(state, 'notes', { ...event.note, at: event.at, toldIn: null });
    return added === null ? null : opened(added, 'notes', event.note.id);
  },
  'notes.pressed': (state, event) => {
    let pressed: State | null = state;
    for (const id of event.notes) {
      pressed = pressed && change(pressed, 'notes', id, (note) => ({ ...note, pressing: true }));
    }
    return pressed;
  },
  'note.told': (state, event) => {
    const told = change(state, 'notes', event.noteId, (note) =>
      note.toldIn === null ? { ...note, toldIn: event.runId } : null,
    );
    return told === null ? null : closed(told, 'notes', event.noteId);
  },
};
