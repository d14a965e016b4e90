import { at, values } from '../../base/table';
import { type AgentId, indexOf } from '../ids';
import { agentOf, openJobs } from '../lookup';
import type { AgentState, TreeRow } from '../protocol';
import type { Agent, Ask, State } from '../state';
import { todoProgress } from '../todo';
import type { Activity } from './activity';
import { activityOf, oneLine } from './doing';
import { reviewMark } from './reviewMarks';
import { entryKey } from './roomList';
import { currentRun, type Surroundings, whoIs } from './who';

/** Agents in tree order: each one's members follow it, in the order they came. */
export class TreeList {
  #order: AgentId[] = [];
  readonly #depth = new Map<AgentId, number>();

  get size(): number {
    return this.#order.length;
  }

  fill(state: State): void {
    this.#order = [];
    this.#depth.clear();
    for (const agent of values(state.agents)) this.add(agent);
  }

  /** The index that a new agent gets: after all that stand under its manager. */
  add(agent: Agent): number {
    const manager = agent.managerId === null ? -1 : this.#order.indexOf(agent.managerId);
    const depth = manager < 0 ? 0 : this.depth(this.#order[manager]) + 1;
    this.#depth.set(agent.id, depth);
    let index = manager < 0 ? this.#order.length : manager + 1;
    while (manager >= 0 && index < this.#order.length && this.depth(this.#order[index]) >= depth) index++;
    this.#order.splice(index, 0, agent.id);
    return index;
  }

  depth(agent: AgentId | undefined): number {
    return agent === undefined ? 0 : (this.#depth.get(agent) ?? 0);
  }

  slice(from: number, to: number): readonly AgentId[] {
    return this.#order.slice(Math.max(0, from), Math.max(0, to));
  }
}

/** One line of the tree, for the webview and for the native tree. */
export function treeRow(state: State, id: AgentId, depth: number, around: Surroundings): TreeRow | null {
  const agent = agentOf(state, id);
  if (agent === undefined) return null;
  const activity = activityOf(state, agent, around);
  const run = currentRun(state, agent);
  const waiting = openAsk(state, id);
  return {
    type: 'agent',
    key: id,
    agent: whoIs(state, id),
    kind: agent.kind,
    depth,
    members: countMembers(state, id),
    role: agent.role,
    model: around.models.get(agent.model)?.label ?? agent.model,
    state: agentState(activity),
    activity,
    todo: todoProgress(agent.todo ?? []),
    jobs: openJobs(state).flatMap(({ agentId, callId, command, at: since }) =>
      agentId === id ? [{ call: callId, command: oneLine(command), at: since }] : [],
    ),
    waitingRow: waitingKey(waiting, run?.phase.status === 'interrupted' ? run.id : null),
    activeMs: agent.usage.activeMs,
    activeSince: run?.phase.status === 'running' ? run.phase.since : null,
    tokens: agent.usage.inputTokens + agent.usage.outputTokens,
    microUsd: agent.usage.microUsd,
    left: agent.left !== null,
    review: reviewMark(state, id),
  };
}

function waitingKey(ask: Ask | undefined, interrupted: Parameters<typeof indexOf>[0] | null): string | null {
  if (ask !== undefined) return entryKey('ask', indexOf(ask.id));
  return interrupted === null ? null : entryKey('interrupted', indexOf(interrupted));
}

function openAsk(state: State, agent: AgentId): Ask | undefined {
  for (const id of state.open.asks) {
    const ask = at(state.asks, indexOf(id));
    if (ask?.agentId === agent) return ask;
  }
  return undefined;
}

function countMembers(state: State, id: AgentId): number {
  let count = 0;
  for (const agent of values(state.agents)) if (agent.managerId === id && agent.left === null) count++;
  return count;
}

const states: Readonly<Record<Activity['type'], AgentState>> = {
  new: 'idle',
  thinking: 'working',
  calling: 'working',
  asks_permission: 'asks',
  asks_question: 'asks',
  at_limit: 'asks',
  collects: 'waits',
  delegates: 'waits',
  waits_helper: 'waits',
  waits_slot: 'waits',
  waits_group: 'waits',
  waits_turn: 'waits',
  waits_answer: 'waits',
  waits_reports: 'waits',
  waits_jobs: 'waits',
  continues: 'working',
  interrupted: 'interrupted',
  paused: 'waits',
  finished: 'finished',
  ended: 'failed',
  left: 'stopped',
};

export function agentState(activity: Activity): AgentState {
  if (activity.type === 'ended' && activity.reason === 'stopped') return 'stopped';
  if (activity.type === 'ended' && activity.reason === 'question') return 'finished';
  return states[activity.type];
}
