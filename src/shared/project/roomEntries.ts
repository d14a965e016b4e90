import { at, values } from '../../base/table';
import { type AgentId, indexOf } from '../ids';
import { agentOf } from '../lookup';
import type { Agent, Ask, Message, Run, State, Step } from '../state';
import { headOf } from '../text';
import { entryKey, type RoomEntry } from './roomList';

/** Which lines the timeline has: each of these answers the line of one thing, or null where it has none. */

export function joinedEntry(agent: Agent): RoomEntry | null {
  // The lead is there from the beginning; its task says so.
  if (agent.kind === 'lead') return null;
  return entry('joined', indexOf(agent.id), agent.addedAt, [
    agent.id,
    ...(agent.managerId === null ? [] : [agent.managerId]),
  ]);
}

/** What the lead says beside its calls; what it says without any is its answer, and what members say so is theirs. */
export function saidEntry(state: State, step: Step): RoomEntry | null {
  if (step.calls.length === 0 || step.status !== 'answered' || headOf(step.text).trim() === '') return null;
  if (agentOf(state, step.agentId)?.kind !== 'lead') return null;
  return entry('said', indexOf(step.id), step.at, [step.agentId]);
}

export function messageEntry(state: State, message: Message): RoomEntry {
  const to = message.deliveries.map((id) => at(state.deliveries, indexOf(id))?.to);
  const agents = to.filter((id) => id !== undefined);
  if (message.from.type === 'agent') agents.push(message.from.id);
  return entry('message', indexOf(message.id), message.at, agents);
}

export const askEntry = (ask: Ask): RoomEntry => entry('ask', indexOf(ask.id), ask.at, [ask.agentId]);

export function interruptedEntry(run: Run): RoomEntry | null {
  return run.phase.status === 'interrupted'
    ? entry('interrupted', indexOf(run.id), run.phase.at, [run.agentId])
    : null;
}

/** A turn that was stopped, of an agent that stays: nothing else tells of it. */
export function haltedEntry(state: State, run: Run): RoomEntry | null {
  if (run.phase.status !== 'ended' || run.phase.reason !== 'stopped') return null;
  const agent = agentOf(state, run.agentId);
  // Taken out by the same stop: that it left says it.
  if (agent === undefined || agent.left?.at === run.phase.at) return null;
  return entry('halted', indexOf(run.id), run.phase.at, [run.agentId]);
}

/** One line for a turn, where it was first done. */
export function compactedEntry(run: Run): RoomEntry | null {
  const first = run.entries.find((each) => each.type === 'compacted');
  return first === undefined ? null : entry('compacted', indexOf(run.id), first.at, [run.agentId]);
}

/** One line for an agent that left with everything under it: those below have none of their own. */
export function leftEntry(state: State, agent: Agent): RoomEntry | null {
  if (agent.left === null) return null;
  const manager = agent.managerId === null ? undefined : agentOf(state, agent.managerId);
  if (manager?.left != null && manager.left.at === agent.left.at) return null;
  const agents = leftTogether(state, agent).map((each) => each.id);
  return entry('left', indexOf(agent.id), agent.left.at, agents);
}

/** The agent and those under it that left at the same moment, in the order they had come. */
export function leftTogether(state: State, agent: Agent): readonly Agent[] {
  const ids = new Set<AgentId>([agent.id]);
  const found: Agent[] = [agent];
  for (let i = indexOf(agent.id) + 1; i < state.agents.size; i++) {
    const other = at(state.agents, i);
    if (other === undefined || other.managerId === null || !ids.has(other.managerId)) continue;
    if (other.left === null || other.left.at !== agent.left?.at) continue;
    ids.add(other.id);
    found.push(other);
  }
  return found;
}

/**
 * Entries of one table in their order: a clock that was set back must not move a later one before an earlier one.
 */
export class Floor {
  readonly #latest = new Map<RoomEntry['kind'], number>();

  lift(entry: RoomEntry): RoomEntry {
    const at = Math.max(entry.at, this.#latest.get(entry.kind) ?? entry.at);
    this.#latest.set(entry.kind, at);
    return at === entry.at ? entry : { ...entry, at };
  }
}

/** Every line of a session; for opening, costs the whole history once. `floor` is left as the tables end. */
export function allEntries(state: State, floor: Floor): readonly RoomEntry[] {
  const entries: (RoomEntry | null)[] = [];
  const lifted = (entry: RoomEntry | null) => (entry === null ? null : floor.lift(entry));
  for (const agent of values(state.agents)) entries.push(lifted(joinedEntry(agent)), leftEntry(state, agent));
  for (const step of values(state.steps)) entries.push(lifted(saidEntry(state, step)));
  for (const message of values(state.messages)) entries.push(lifted(messageEntry(state, message)));
  for (const ask of values(state.asks)) entries.push(lifted(askEntry(ask)));
  for (const run of values(state.runs))
    entries.push(interruptedEntry(run), haltedEntry(state, run), compactedEntry(run));
  return entries.filter((entry) => entry !== null);
}

function entry(
  kind: RoomEntry['kind'],
  index: number,
  moment: number,
  agents: readonly AgentId[],
): RoomEntry {
  return { key: entryKey(kind, index), kind, index, at: moment, agents };
}
