import { type AgentId, localId, type OutcomeId, type TaskId } from '../shared/ids';
import { agentOf, deliveryOf, hasPressing, openCallsOf, openRuns, openRunsOf } from '../shared/lookup';
import type { Agent, Ended, FinishReason, Outcome, Run } from '../shared/state';
import { inline, isBlank, type Text } from '../shared/text';
import { PERSON_NAME } from './add';
import { closeRun, takeOutHelpers } from './closeRun';
import type { Facts } from './commands';
import type { Draft } from './draft';
import { stopJobs } from './jobs';
import type { Policy } from './policy';
import { post, queueRun, wakeForMail } from './post';

export interface Ending {
  readonly reason: FinishReason;
  readonly detail: string | null;
  /** The final reply, or the last words. */
  readonly text: Text;
  readonly paths: readonly string[];
}

/** Ended by the model's own decision; everything else is told with the report (L-60). */
const isClean = (reason: FinishReason): boolean =>
  reason === 'final' || reason === 'delivered' || reason === 'waiting' || reason === 'question';

/** How a turn ended that did not end by itself. */
export const endedOf = ({ reason, detail }: Pick<Ending, 'reason' | 'detail'>): Ended | null =>
  reason === 'steps' || reason === 'budget' || reason === 'error' ? { reason, detail } : null;

/**
 * Ends a turn and makes everything that follows: result, then receipts, then the report (the result is written
 * first, A-19), then the next run if mail came after the last step boundary.
 */
export function endRun(draft: Draft, run: Run, ending: Ending, facts: Facts): void {
  const agent = agentOf(draft.state, run.agentId);
  const { reason, detail, text } = ending;
  closeRun(draft, run, { reason, detail, text });
  if (agent === undefined || agent.left !== null) return;
  // Nobody takes what a member's helpers would bring after its turn; the lead's go on and wake it.
  if (agent.kind === 'member') takeOutHelpers(draft, agent.id, { type: 'host' });
  // The lead's commands go on, and it is told when they end; a member's end with its turn (L-48).
  if (agent.kind !== 'lead') stopJobs(draft, agent.id, { type: 'host' }, 'turn_ended');
  if (reason !== 'stopped') {
    if (agent.kind !== 'lead' && reason !== 'waiting') recordOutcome(draft, agent, run, ending, facts.policy);
    settleMail(draft, run, isClean(reason), facts.policy);
    publish(draft, agent, ending, facts.policy);
  }
  // A turn that failed before it took anything in would fail again at once, for the same mail, without end: only what
  // came after its start makes another one.
  const newerThan = reason === 'error' && run.entries.length === 0 ? run.startedAt : null;
  if (reason !== 'stopped') wakeForMail(draft, agent.id, facts.policy, newerThan);
  if (reason !== 'stopped' && newerThan === null) wakeForNotes(draft, agent);
  // Words that came after its last step have started a helper's next turn; else it is done.
  if (agent.kind === 'helper' && openRunsOf(draft.state, agent.id).length === 0)
    draft.push({ type: 'agent.left', agentId: agent.id, by: { type: 'host' }, reason: 'ended' });
}

/** What the lead was to be told at once came after its last step. */
function wakeForNotes(draft: Draft, { id, kind }: Agent): void {
  if (kind === 'lead' && hasPressing(draft.state) && openRunsOf(draft.state, id).length === 0)
    queueRun(draft, id, 'user', null);
}

function kindOf(ending: Ending, policy: Policy): Outcome['kind'] | null {
  if (ending.reason === 'question') return 'question';
  if (!isClean(ending.reason)) return 'failure';
  // Where a member delivers by `complete`, a mere last word is no result (X6).
  return policy.deliverBy === 'complete' && ending.reason !== 'delivered' ? null : 'result';
}

function recordOutcome(draft: Draft, agent: Agent, run: Run, ending: Ending, policy: Policy): void {
  const kind = kindOf(ending, policy);
  if (kind === null) return;
  const summary = isBlank(ending.text) && ending.detail !== null ? inline(ending.detail) : ending.text;
  draft.push({
    type: 'outcome.recorded',
    outcome: {
      id: localId<OutcomeId>('o', draft.state.outcomes.size),
      agentId: agent.id,
      runId: run.id,
      taskId: run.taskId,
      messageId: null,
      kind,
      summary,
      paths: ending.paths,
      cause: ending.reason,
    },
  });
  if (run.taskId === null) return;
  // A question is no delivery and satisfies no dependency (X17).
  if (kind !== 'question') {
    const evidence = kind === 'failure' ? summary : null;
    const status = kind === 'result' ? 'delivered' : 'failed';
    draft.push({ type: 'task.changed', taskId: run.taskId, status, brief: null, evidence });
  }
  resolveDelegation(draft, run.taskId, kind, summary);
}

const MOST_ATTEMPTS = 3;

/** X12: mail is used up at the clean end of a run; after another end it waits for the next clean one. */
function settleMail(draft: Draft, run: Run, clean: boolean, policy: Policy): void {
  if (policy.processedAt !== 'run_end') return;
  for (const id of draft.state.open.deliveries) {
    const delivery = deliveryOf(draft.state, id);
    if (delivery?.to !== run.agentId || delivery.phase.status !== 'delivered') continue;
    if (clean) {
      draft.push({ type: 'delivery.processed', deliveryId: id, runId: run.id });
    } else if (
      policy.wakeContext !== 'intact' &&
      policy.redeliver === 'auto' &&
      delivery.attempt < MOST_ATTEMPTS
    ) {
      // Without the old context the next run would never see it; but a run that fails each time must not go on for ever.
      draft.push({ type: 'delivery.returned', deliveryId: id, reason: 'its run failed' });
    }
  }
}

/** X5, X34: where the last words go. */
function publish(draft: Draft, agent: Agent, ending: Ending, policy: Policy): void {
  if (ending.reason === 'waiting') return;
  if (agent.kind === 'lead' || policy.speaker === 'member') answerPerson(draft, agent, ending, policy);
  const manager = agent.managerId === null ? undefined : agentOf(draft.state, agent.managerId);
  if (manager === undefined) return;
  // In the foreground its caller's call takes the reply from the run itself.
  if (agent.kind === 'helper') {
    if (agent.helper?.background === true) tellManager(draft, agent, manager, 'result', ending, policy);
    return;
  }
  switch (policy.sink) {
    case 'inbox':
      tellManager(draft, agent, manager, isDelivered(ending, policy) ? 'report' : 'message', ending, policy);
      return;
    // The outcome itself is the place, or the call that waits for it, or the person.
    case 'store':
    case 'tool_result':
    case 'user':
    case 'user_with_notice':
      return;
  }
}

const isDelivered = (ending: Ending, policy: Policy): boolean => kindOf(ending, policy) !== null;

function tellManager(
  draft: Draft,
  agent: Agent,
  manager: Agent,
  kind: 'report' | 'message' | 'result',
  ending: Ending,
  policy: Policy,
): void {
  post(
    draft,
    {
      from: { type: 'agent', id: agent.id },
      fromName: agent.name,
      to: [manager.name],
      recipients: [manager.id],
      kind,
      text: ending.text,
      ended: endedOf(ending),
    },
    policy,
  );
}

function answerPerson(draft: Draft, agent: Agent, ending: Ending, policy: Policy): void {
  const from = { type: 'agent', id: agent.id } as const;
  const { name: fromName } = agent;
  const message = { from, fromName, to: [PERSON_NAME], recipients: [] as AgentId[], kind: 'answer' } as const;
  post(draft, { ...message, text: ending.text, ended: endedOf(ending) }, policy);
}

/** O-27, O-29: the call that waits for this sub-task gets its answer: result, question or failure. */
function resolveDelegation(draft: Draft, taskId: TaskId, kind: Outcome['kind'], summary: Text): void {
  const status = kind === 'failure' ? 'error' : 'ok';
  for (const run of openRuns(draft.state)) {
    for (const { id, phase } of openCallsOf(draft.state, run.id)) {
      if (phase.status !== 'suspended' || phase.on.type !== 'delegate' || phase.on.taskId !== taskId)
        continue;
      const result = { status, text: summary } as const;
      draft.push({ type: 'call.finished', callId: id, result, statusCall: false });
    }
  }
}
