import { at, values } from '../../base/table';
import { indexOf } from '../ids';
import { runOf } from '../lookup';
import type { Head, LimitBar } from '../protocol';
import type { State } from '../state';
import { entryKey } from './roomList';
import { dotOf, type Surroundings } from './who';

/** A bar turns to the warning colour from here on. */
const NEAR = 0.8;

/** What is always in sight. Costs the agents and what is open, never the history. */
export function headOf(state: State | null, around: Surroundings, files: number): Head {
  const { session } = state ?? { session: null };
  if (state === null || session === null) return emptyHead(around);
  const waiting = waitingRows(state);
  const usage = sessionUsage(state);
  const lead = at(state.agents, 0);
  const model = lead === undefined ? undefined : around.models.get(lead.model);
  return {
    session: {
      id: session.id,
      title: session.title,
      at: session.createdAt,
      open: state.open.runs.length > 0,
    },
    sessions: around.sessions,
    tabs: { room: waiting.length, changes: files },
    agents: [...values(state.agents)].map((agent) => ({
      id: agent.id,
      name: agent.name,
      kind: agent.kind,
      dot: dotOf(agent.id),
      left: agent.left !== null,
    })),
    banner: around.banner ?? (session.paused ? { type: 'paused' } : null),
    model:
      lead === undefined
        ? null
        : {
            label: model?.label ?? lead.model,
            rehearsal: model?.rehearsal ?? false,
            others: around.models.size > 1,
          },
    settings: { ...session.settings, size: session.offered ? session.settings.size : null },
    hasModel: around.models.size > 0,
    counts: { working: workingCount(state), waiting: waiting.length },
    waiting,
    interrupted: state.open.runs.filter((id) => runOf(state, id)?.phase.status === 'interrupted'),
    cost: { microUsd: usage.microUsd, limit: session.settings.limits.microUsd, tokens: usage.tokens },
    limits: limitBars(state),
  };
}

function emptyHead(around: Surroundings): Head {
  return {
    session: null,
    sessions: around.sessions,
    tabs: { room: 0, changes: 0 },
    agents: [],
    banner: around.banner,
    model: null,
    settings: null,
    hasModel: around.models.size > 0,
    counts: { working: 0, waiting: 0 },
    waiting: [],
    interrupted: [],
    cost: { microUsd: 0, limit: null, tokens: 0 },
    limits: [],
  };
}

/** Agents with a run that is going on. */
export function workingCount(state: State): number {
  const busy = new Set<string>();
  for (const id of state.open.runs) {
    const run = runOf(state, id);
    if (run?.phase.status === 'running') busy.add(run.agentId);
  }
  return busy.size;
}

/** Keys of the rows that wait for the person: open asks, then interrupted runs. */
export function waitingRows(state: State): readonly string[] {
  const interrupted = state.open.runs.filter((id) => runOf(state, id)?.phase.status === 'interrupted');
  return [
    ...state.open.asks.map((id) => entryKey('ask', indexOf(id))),
    ...interrupted.map((id) => entryKey('interrupted', indexOf(id))),
  ];
}

/** Tokens and money of everybody; money null once any price was unknown. */
export function sessionUsage(state: State): { readonly tokens: number; readonly microUsd: number | null } {
  let tokens = 0;
  let microUsd: number | null = 0;
  for (const { usage } of values(state.agents)) {
    tokens += usage.inputTokens + usage.outputTokens;
    microUsd = microUsd === null || usage.microUsd === null ? null : microUsd + usage.microUsd;
  }
  return { tokens, microUsd };
}

/** Money where it is known, tokens, and the team's size, which counts the lead and every member that stays. */
export function limitBars(state: State): readonly LimitBar[] {
  if (state.session === null) return [];
  const { limits, size } = state.session.settings;
  const usage = sessionUsage(state);
  const bars: LimitBar[] = [];
  if (usage.microUsd !== null) bars.push(bar('money', usage.microUsd, limits.microUsd));
  bars.push(bar('tokens', usage.tokens, limits.tokens));
  if (state.session.kind === 'team' && state.session.offered)
    bars.push(bar('agents', teamSize(state), size.max));
  return bars;
}

function bar(what: LimitBar['what'], used: number, max: number | null): LimitBar {
  const share = max === null || max <= 0 ? 0 : Math.min(1, used / max);
  return { what, used, max, share, near: share >= NEAR };
}

function teamSize(state: State): number {
  let size = 0;
  for (const agent of values(state.agents)) {
    const helperAtRest =
      agent.kind === 'helper' && !state.open.runs.some((id) => runOf(state, id)?.agentId === agent.id);
    if (agent.left === null && !helperAtRest) size++;
  }
  return size;
}
