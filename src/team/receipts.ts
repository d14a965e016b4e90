import { fail, ok } from '../base/result';
import { localId, type OutcomeId } from '../shared/ids';
import { deliveryOf, messageOf } from '../shared/lookup';
import type { Decide, RunCommand } from './commands';
import { Draft } from './draft';
import { wakeForMail } from './post';

type Of<T extends RunCommand['type']> = Decide<Extract<RunCommand, { type: T }>>;

/** back to pending for another attempt. What the old attempt still brings is fenced by its number. */
export const decideReturn: Of<'return_delivery'> = (state, { deliveryId, reason }, facts) => {
  const delivery = deliveryOf(state, deliveryId);
  if (delivery === undefined) return fail({ code: 'gone', what: 'message' });
  const { status } = delivery.phase;
  if (facts.policy.redeliver !== 'coordinator') return fail({ code: 'not_allowed', what: 'return_delivery' });
  if (status !== 'pending' && status !== 'delivered') {
    return fail({ code: 'wrong_state', what: 'delivery', is: status });
  }
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'delivery.returned', deliveryId, reason });
  wakeForMail(draft, delivery.to, facts.policy);
  return ok(draft.events);
};

/** A-16..A-19: the result first, then `processed`, in one decision. */
export const decideResult: Of<'record_result'> = (state, command, facts) => {
  const delivery = deliveryOf(state, command.deliveryId);
  if (delivery === undefined) return fail({ code: 'gone', what: 'message' });
  if (delivery.attempt !== command.attempt) {
    return fail({ code: 'fenced', attempt: command.attempt, current: delivery.attempt });
  }
  if (delivery.phase.status !== 'delivered') {
    return fail({ code: 'wrong_state', what: 'delivery', is: delivery.phase.status });
  }
  const draft = new Draft(state, facts.now);
  draft.push({
    type: 'outcome.recorded',
    outcome: {
      id: localId<OutcomeId>('o', state.outcomes.size),
      agentId: delivery.to,
      runId: command.runId,
      taskId: null,
      messageId: delivery.messageId,
      kind: 'result',
      summary: command.text,
      paths: [],
      cause: 'final',
    },
  });
  draft.push({ type: 'delivery.processed', deliveryId: delivery.id, runId: command.runId });
  return ok(draft.events);
};

/** the message goes to another member; nobody may pick the old one up any more. */
export const decideDrop: Of<'drop_message'> = (state, { messageId, reason }, facts) => {
  const message = messageOf(state, messageId);
  if (message === undefined) return fail({ code: 'gone', what: 'message' });
  const draft = new Draft(state, facts.now);
  for (const deliveryId of message.deliveries) {
    if (!state.open.deliveries.includes(deliveryId)) continue;
    draft.push({ type: 'delivery.dropped', deliveryId, reason });
  }
  return ok(draft.events);
};
