import { values } from '../base/table';
import type { AgentId } from '../shared/ids';
import { agentOf, leadOf, openRuns, runOf, stepOf } from '../shared/lookup';
import type { Agent, SizeSetting, State } from '../shared/state';
import type { Facts, Refusal } from './commands';

/** The part of the facts that questions about the roster need. */
export type RosterFacts = Pick<Facts, 'policy' | 'cap' | 'model'>;

/** L-14: a stored setting above a lowered cap is read within it; it is never changed. */
export const effectiveSize = (stored: SizeSetting, cap: number): SizeSetting => ({
  min: Math.min(stored.min, cap),
  max: Math.min(stored.max, cap),
});

export const sizeBoundsHold = ({ min, max }: SizeSetting, cap: number): boolean =>
  Number.isInteger(min) && Number.isInteger(max) && 1 <= min && min <= max && max <= cap;

/** Members that this agent added and that are on the team, whatever their state. */
export const membersOf = (state: State, managerId: AgentId): readonly Agent[] =>
  [...values(state.agents)].filter(
    (agent) => agent.managerId === managerId && agent.kind === 'member' && agent.left === null,
  );

/** Lead and members on the team, each before those under it, siblings as they were added (L-64, L-93). */
export function treeOrder(state: State): readonly { readonly agent: Agent; readonly depth: number }[] {
  const rows: { agent: Agent; depth: number }[] = [];
  const visit = (agent: Agent, depth: number): void => {
    rows.push({ agent, depth });
    for (const member of membersOf(state, agent.id)) visit(member, depth + 1);
  };
  const lead = leadOf(state);
  if (lead !== undefined) visit(lead, 0);
  return rows;
}

/** Whether `id` is strictly under `ancestor`, by who added whom; agents that left keep their place in this question. */
export function isUnder(state: State, id: AgentId, ancestor: AgentId): boolean {
  for (let at = agentOf(state, id)?.managerId; at !== undefined && at !== null; ) {
    if (at === ancestor) return true;
    at = agentOf(state, at)?.managerId;
  }
  return false;
}

/** Members on the team strictly under an agent, in tree order. */
export const under = (state: State, id: AgentId): readonly Agent[] =>
  treeOrder(state).flatMap(({ agent }) => (isUnder(state, agent.id, id) ? [agent] : []));

/** Helpers that this agent started and that have not ended. */
export const helpersOf = (state: State, id: AgentId): readonly Agent[] =>
  [...values(state.agents)].filter(
    (agent) => agent.kind === 'helper' && agent.left === null && agent.managerId === id,
  );

/** L-27: the lead, every member in any state, and every helper now running where helpers are counted (X36). */
export function sizeOf(state: State, policy: Facts['policy']): number {
  const busy = new Set(openRuns(state).map((run) => run.agentId));
  let size = 0;
  for (const agent of values(state.agents)) {
    if (agent.left !== null) continue;
    if (agent.kind !== 'helper') size += 1;
    else if (policy.helper === 'counted' && busy.has(agent.id)) size += 1;
  }
  return size;
}

/** Levels under the lead: 0 for the lead. */
export function depthOf(state: State, id: AgentId): number {
  let depth = 0;
  for (let at = agentOf(state, id)?.managerId; at !== undefined && at !== null; depth++) {
    at = agentOf(state, at)?.managerId;
  }
  return depth;
}

/** The size setting as it holds now; null where the style knows no bound (X21). */
export function sizeInForce(state: State, facts: Pick<Facts, 'policy' | 'cap'>): SizeSetting | null {
  if (facts.policy.size === null || state.session === null) return null;
  return effectiveSize(state.session.settings.size, facts.cap);
}

/**
 * L-8, L-73: it has a member, or it is the lead with min ≥ 2 while a team is offered. A lead that can't add anybody
 * any more (its model serves one request now) is none: it would be kept from the work and from giving it away.
 */
export function isManager(state: State, id: AgentId, facts: RosterFacts): boolean {
  if (membersOf(state, id).length > 0) return true;
  if (agentOf(state, id)?.kind !== 'lead' || unavailable(state, id, facts) !== null) return false;
  const size = sizeInForce(state, facts);
  return size !== null && size.min >= 2;
}

/** L-22, L-23: why the team tools can't be used by this agent now; null: they can. */
export function unavailable(state: State, id: AgentId, facts: RosterFacts): Refusal | null {
  const lead = leadOf(state);
  if (state.session === null || lead === undefined) return { code: 'gone', what: 'session' };
  // A lead whose person lowered max to 1, or whose model changed, can still talk to and stop the members it has.
  if (id === lead.id && membersOf(state, lead.id).length > 0) return null;
  if (facts.model(lead.model)?.servesTwo === false) return { code: 'unavailable', why: 'one_request' };
  const size = sizeInForce(state, facts);
  if (!state.session.offered || (size !== null && size.max < 2)) {
    return { code: 'unavailable', why: 'one_agent' };
  }
  return null;
}

export type AgentStatus = 'working' | 'waiting' | 'finished' | 'idle';

/** L-47: `waiting` is waiting for a slot; one that waits for the person's answer is in a turn, so it is working. */
export function statusOf(state: State, agent: Agent): AgentStatus {
  const runs = openRuns(state).filter((run) => run.agentId === agent.id);
  if (runs.some((run) => run.phase.status === 'running' || run.phase.status === 'parked')) return 'working';
  if (runs.length > 0) return 'waiting';
  return agent.kind === 'lead' ? 'idle' : 'finished';
}

/** When the agent last did anything: a step, an input, the beginning or the end of a turn. */
export function lastActivityAt(state: State, agent: Agent): number {
  const last = agent.runs.at(-1);
  const run = last === undefined ? undefined : runOf(state, last);
  if (run === undefined) return agent.addedAt;
  const { phase } = run;
  const moved = phase.status === 'ended' ? phase.at : phase.since;
  const entry = run.entries.at(-1);
  const entered = entry?.type === 'step' ? stepOf(state, entry.step)?.at : entry?.at;
  return Math.max(agent.addedAt, moved, entered ?? 0);
}
