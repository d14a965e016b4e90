import type { AgentId, RunId } from '../ids';
import { activeRunOf, agentOf, runOf } from '../lookup';
import type { Agent, Run, RunEntry, RunPhase, State, StepUsage } from '../state';
import { add, change, closed, type Handlers, opened } from './handler';

/** Clocks can be set back; a stretch of time never counts as less than nothing. */
const stretch = (from: number, to: number): number => Math.max(0, to - from);

/** Puts a run into another phase and counts its active time, in the run and for its agent. */
function toPhase(
  state: State,
  run: Run,
  phase: RunPhase,
  at: number,
  patch: Partial<Run> = {},
): State | null {
  const activeMs = run.phase.status === 'running' ? stretch(run.phase.since, at) : 0;
  const moved = change(state, 'runs', run.id, (old) => ({
    ...old,
    ...patch,
    phase,
    activeMs: old.activeMs + activeMs,
  }));
  if (moved === null || activeMs === 0) return moved;
  return withAgentUsage(moved, run.agentId, (usage) => ({ ...usage, activeMs: usage.activeMs + activeMs }));
}

function withAgentUsage(
  state: State,
  agentId: AgentId,
  count: (usage: Agent['usage']) => Agent['usage'],
): State | null {
  return change(state, 'agents', agentId, (agent) => ({ ...agent, usage: count(agent.usage) }));
}

function inStatus(state: State, runId: RunId, ...statuses: RunPhase['status'][]): Run | null {
  const run = runOf(state, runId);
  return run !== undefined && statuses.includes(run.phase.status) ? run : null;
}

export const withEntry = (state: State, runId: RunId, entry: RunEntry): State | null =>
  change(state, 'runs', runId, (run) => ({ ...run, entries: [...run.entries, entry] }));

const withTokens = (sum: Agent['usage'], usage: StepUsage): Agent['usage'] => ({
  ...sum,
  inputTokens: sum.inputTokens + usage.inputTokens,
  cachedTokens: sum.cachedTokens + usage.cachedTokens,
  outputTokens: sum.outputTokens + usage.outputTokens,
  microUsd: sum.microUsd === null || usage.microUsd === null ? null : sum.microUsd + usage.microUsd,
});

/** A model call counts for its run and its agent, whatever came of it (X21: all quantities are counted always). */
export function countStep(state: State, runId: RunId, agentId: AgentId, usage: StepUsage): State | null {
  const counted = change(state, 'runs', runId, (run) => ({ ...run, steps: run.steps + 1 }));
  if (counted === null) return null;
  return withAgentUsage(counted, agentId, (sum) => ({ ...withTokens(sum, usage), steps: sum.steps + 1 }));
}

export const runHandlers: Handlers<
  | 'run.queued'
  | 'run.started'
  | 'run.parked'
  | 'run.continued'
  | 'run.interrupted'
  | 'run.requeued'
  | 'run.ended'
  | 'input.taken'
  | 'context.compacted'
> = {
  'run.queued': (state, event) => {
    const agent = agentOf(state, event.agentId);
    if (agent === undefined || agent.left !== null) return null;
    const added = add(state, 'runs', {
      id: event.runId,
      agentId: event.agentId,
      cause: event.cause,
      queuedAt: event.at,
      startedAt: null,
      phase: { status: 'queued', since: event.at },
      startAfter: event.startAfter,
      taskId: event.taskId,
      model: event.model,
      entries: [],
      steps: 0,
      activeMs: 0,
      statusCalls: 0,
      resumedTimes: 0,
    });
    if (added === null) return null;
    const listed = change(added, 'agents', event.agentId, (a) => ({ ...a, runs: [...a.runs, event.runId] }));
    return listed === null ? null : opened(listed, 'runs', event.runId);
  },
  'run.started': (state, event) => {
    const run = inStatus(state, event.runId, 'queued');
    // At most one run per agent goes on at a time (invariant 4).
    if (run === null || state.session === null || activeRunOf(state, run.agentId) !== undefined) return null;
    const isMember = agentOf(state, run.agentId)?.kind !== 'lead';
    const runsStarted = state.session.runsStarted + (isMember ? 1 : 0);
    const counted = { ...state, session: { ...state.session, runsStarted } };
    const phase = { status: 'running', since: event.at } as const;
    return toPhase(counted, run, phase, event.at, { startedAt: event.at });
  },
  'run.parked': (state, event) => {
    const run = inStatus(state, event.runId, 'running');
    if (run === null) return null;
    const phase = { status: 'parked', since: event.at, on: event.on, slot: event.slot } as const;
    return toPhase(state, run, phase, event.at);
  },
  'run.continued': (state, event) => {
    const run = inStatus(state, event.runId, 'parked', 'interrupted', 'queued');
    if (run === null || (run.phase.status === 'queued' && run.startedAt === null)) return null;
    const resumedTimes = run.resumedTimes + (event.resumed ? 1 : 0);
    return toPhase(state, run, { status: 'running', since: event.at }, event.at, { resumedTimes });
  },
  'run.interrupted': (state, event) => {
    const run = inStatus(state, event.runId, 'running');
    if (run === null) return null;
    // The host was dead for an unknown part of the time since the last event: none of it counts as active.
    const { since } = run.phase as Extract<RunPhase, { status: 'running' }>;
    const phase: RunPhase = { status: 'interrupted', since, at: event.at };
    return change(state, 'runs', run.id, (old): Run => ({ ...old, phase }));
  },
  'run.requeued': (state, event) => {
    const run = inStatus(state, event.runId, 'interrupted');
    if (run?.phase.status !== 'interrupted') return null;
    return toPhase(state, run, { status: 'queued', since: run.phase.since }, event.at);
  },
  'run.ended': (state, event) => {
    const run = inStatus(state, event.runId, 'queued', 'running', 'parked', 'interrupted');
    if (run === null) return null;
    const { reason, detail, text } = event;
    const ended = toPhase(state, run, { status: 'ended', at: event.at, reason, detail, text }, event.at);
    return ended === null ? null : closed(ended, 'runs', event.runId);
  },
  'input.taken': (state, event) => {
    if (inStatus(state, event.runId, 'running') === null) return null;
    return withEntry(state, event.runId, { type: 'input', at: event.at, parts: event.parts });
  },
  /** Tokens and money are the agent's; a step of its work it is not. */
  'context.compacted': (state, event) => {
    const run = inStatus(state, event.runId, 'running');
    if (run === null) return null;
    const { at, text, from, cut, fault, usage } = event;
    const entered = withEntry(state, run.id, { type: 'compacted', at, text, from, cut, fault });
    if (entered === null || usage === null) return entered;
    return withAgentUsage(entered, run.agentId, (sum) => withTokens(sum, usage));
  },
};
