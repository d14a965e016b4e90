import { agentOf } from '../lookup';
import type { Agent, Team, Usage } from '../state';
import { add, change, type Handlers } from './handler';

export const noUsage: Usage = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  microUsd: 0,
  steps: 0,
  activeMs: 0,
};

/** Only an agent of the team can change; what was, stays (X1). */
const present =
  (patch: Partial<Agent>) =>
  (agent: Agent): Agent | null =>
    agent.left === null ? { ...agent, ...patch } : null;

export const agentHandlers: Handlers<
  | 'team.created'
  | 'team.dissolved'
  | 'agent.added'
  | 'agent.left'
  | 'agent.returned'
  | 'agent.todo'
  | 'agent.goal'
  | 'agent.model'
  | 'agent.mode'
  | 'agent.rebuilt'
> = {
  'team.created': (state, event) =>
    add(state, 'teams', { id: event.teamId, status: 'open', createdAt: event.at }),
  'team.dissolved': (state, event) =>
    change(state, 'teams', event.teamId, (team): Team | null =>
      team.status === 'open' ? { ...team, status: 'dissolved' } : null,
    ),
  'agent.added': (state, event) => {
    const { managerId } = event.agent;
    if (managerId !== null && agentOf(state, managerId) === undefined) return null;
    return add(state, 'agents', { ...event.agent, addedAt: event.at, left: null, runs: [], usage: noUsage });
  },
  'agent.left': (state, event) =>
    change(
      state,
      'agents',
      event.agentId,
      present({ left: { at: event.at, by: event.by, reason: event.reason } }),
    ),
  'agent.returned': (state, event) =>
    change(state, 'agents', event.agentId, (agent) =>
      agent.kind === 'helper' && agent.left?.reason === 'ended' ? { ...agent, left: null } : null,
    ),
  'agent.todo': (state, event) => change(state, 'agents', event.agentId, present({ todo: event.items })),
  'agent.goal': (state, event) => change(state, 'agents', event.agentId, present({ goal: event.goal })),
  'agent.model': (state, event) => change(state, 'agents', event.agentId, present({ model: event.model })),
  'agent.mode': (state, event) => change(state, 'agents', event.agentId, present({ mode: event.mode })),
  'agent.rebuilt': (state, event) =>
    change(state, 'agents', event.agentId, present({ system: event.system, tools: event.tools })),
};
