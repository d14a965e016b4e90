import { emptyTable } from '../base/table';
import type { EventType, TeamEvent } from './events';
import { agentHandlers } from './reduce/agents';
import { askHandlers } from './reduce/asks';
import { callHandlers, withTeamEffect } from './reduce/calls';
import { changeHandlers } from './reduce/changes';
import type { Handlers } from './reduce/handler';
import { jobHandlers } from './reduce/jobs';
import { roomHandlers } from './reduce/room';
import { runHandlers } from './reduce/runs';
import { sessionHandlers } from './reduce/session';
import { taskHandlers } from './reduce/tasks';
import type { State } from './state';

export const initialState: State = {
  seq: 0,
  session: null,
  teams: emptyTable(),
  agents: emptyTable(),
  runs: emptyTable(),
  steps: emptyTable(),
  calls: emptyTable(),
  messages: emptyTable(),
  deliveries: emptyTable(),
  tasks: emptyTable(),
  outcomes: emptyTable(),
  changes: emptyTable(),
  asks: emptyTable(),
  notes: emptyTable(),
  jobs: emptyTable(),
  undos: emptyTable(),
  open: { runs: [], deliveries: [], asks: [], notes: [], jobs: [] },
};

const handlers: Handlers<EventType> = {
  ...sessionHandlers,
  ...agentHandlers,
  ...runHandlers,
  ...callHandlers,
  ...roomHandlers,
  ...taskHandlers,
  ...changeHandlers,
  ...askHandlers,
  ...jobHandlers,
};

/** Null: the event makes no sense in this state (an unknown id, a step backwards). */
function apply(state: State, event: TeamEvent): State | null {
  const handler = handlers[event.type] as ((state: State, event: TeamEvent) => State | null) | undefined;
  return handler === undefined ? null : handler(state, event);
}

/**
 * The state after an event. Pure and total: an event that makes no sense changes nothing but the sequence number,
 * which always counts the journal's records. Costs the same at the beginning and after 100,000 events.
 */
export function reduce(state: State, event: TeamEvent): State {
  const next = apply(state, event) ?? state;
  const marked = event.call === undefined ? next : (withTeamEffect(next, event.call) ?? next);
  return { ...marked, seq: state.seq + 1 };
}

/** Whether the event makes sense in this state. Decisions only ever make events that do. */
export const fits = (state: State, event: TeamEvent): boolean => apply(state, event) !== null;
