import { agentOf, openRunsOf, runOf } from './lookup';
import type { FinishReason, Run, State } from './state';

const FAILED: ReadonlySet<FinishReason> = new Set(['error', 'steps', 'budget', 'stopped']);

/**
 * Whether a turn that did not end by itself can be gone on with: it is the last one of an agent that is still there and
 * has nothing else to do. A helper is gone with its turn.
 */
export function mayRetry(state: State, run: Run): boolean {
  if (run.phase.status !== 'ended' || !FAILED.has(run.phase.reason)) return false;
  const agent = agentOf(state, run.agentId);
  if (agent === undefined || agent.left !== null || agent.runs.at(-1) !== run.id) return false;
  return openRunsOf(state, agent.id).length === 0;
}

/** The turn that this one goes on with; null: it began anew. */
export function retriedRun(state: State, run: Run): Run | null {
  if (run.cause !== 'retry') return null;
  const runs = agentOf(state, run.agentId)?.runs ?? [];
  const before = runs[runs.indexOf(run.id) - 1];
  return before === undefined ? null : (runOf(state, before) ?? null);
}

/** The agents' failed turns that can be gone on with. */
export const retryable = (state: State): readonly Run[] =>
  [...new Set(lastRuns(state))].filter((run) => mayRetry(state, run));

function lastRuns(state: State): readonly Run[] {
  const runs: Run[] = [];
  for (const page of state.agents.pages) {
    for (const agent of page) {
      const id = agent.runs.at(-1);
      const run = id === undefined ? undefined : runOf(state, id);
      if (run !== undefined) runs.push(run);
    }
  }
  return runs;
}
