import type { AgentId } from '../shared/ids';
import { agentOf, deliveryOf, openAsks, openCallsOf, openRunsOf } from '../shared/lookup';
import type { Agent, FinishReason, Principal, Run } from '../shared/state';
import { inline, type Text } from '../shared/text';
import type { Draft } from './draft';
import { stopJobs } from './jobs';
import { helpersOf } from './roster';

/** What a call is told whose turn ended before it had a result. */
const NOT_BEGUN = 'The turn was ended before this call was carried out. Nothing was done.';
const BROKEN_OFF =
  'The turn was ended while this call went on. What it had done until then stays done: look before you go on.';

export interface RunEnd {
  readonly reason: FinishReason;
  readonly detail: string | null;
  readonly text: Text | null;
}

/**
 * Ends a run with everything that hangs on it: each open call gets its one result, its questions are withdrawn, and
 * a helper that one of them waits for ends, since nobody would take its reply.
 */
export function closeRun(draft: Draft, run: Run, end: RunEnd): void {
  for (const { id: callId, phase } of openCallsOf(draft.state, run.id)) {
    const waitsFor = phase.status === 'suspended' && phase.on.type === 'helper' ? phase.on.agentId : null;
    const begun = phase.status === 'permitted' || waitsFor !== null;
    const result = { status: 'stopped', text: inline(begun ? BROKEN_OFF : NOT_BEGUN) } as const;
    draft.push({ type: 'call.finished', callId, result, statusCall: false });
    const helper = waitsFor === null ? undefined : agentOf(draft.state, waitsFor);
    if (helper !== undefined) takeOut(draft, helper, { type: 'host' });
  }
  for (const ask of openAsks(draft.state, run.id)) draft.push({ type: 'ask.withdrawn', askId: ask.id });
  draft.push({ type: 'run.ended', runId: run.id, ...end });
}

/** A stopped turn reports nothing (L-91) and wakes nobody; mail that waits for the lead stays for its next turn. */
export function endTurns(draft: Draft, agentId: AgentId, by: Principal): void {
  for (const run of openRunsOf(draft.state, agentId)) {
    closeRun(draft, run, { reason: 'stopped', detail: null, text: null });
  }
  stopJobs(draft, agentId, by, 'agent_stopped');
}

/** An agent leaves where it is (L-90), after the helpers that it had started, with its commands. */
export function takeOut(draft: Draft, agent: Agent, by: Principal): void {
  if (agentOf(draft.state, agent.id)?.left !== null) return;
  takeOutHelpers(draft, agent.id, by);
  endTurns(draft, agent.id, by);
  for (const id of draft.state.open.deliveries) {
    if (deliveryOf(draft.state, id)?.to !== agent.id) continue;
    draft.push({ type: 'delivery.dropped', deliveryId: id, reason: 'stopped' });
  }
  draft.push({ type: 'agent.left', agentId: agent.id, by, reason: 'stopped' });
}

/** The helpers that this agent itself has started and that are at work. */
export function takeOutHelpers(draft: Draft, agentId: AgentId, by: Principal): void {
  for (const helper of helpersOf(draft.state, agentId)) takeOut(draft, helper, by);
}
