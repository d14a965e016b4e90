import { fail, ok } from '../base/result';
import { agentOf, outcomeOf } from '../shared/lookup';
import { isReport, openOutcomesUpTo } from '../shared/review';
import { isBlank } from '../shared/text';
import type { Decide, PersonCommand } from './commands';
import { Draft } from './draft';
import { fromPerson } from './room';

type Of<T extends PersonCommand['type']> = Decide<Extract<PersonCommand, { type: T }>>;

/** Posts nothing: what the person thinks in order is nothing that an agent has to read. */
export const decideAccept: Of<'accept'> = (state, command, facts) => {
  const outcome = outcomeOf(state, command.outcome);
  if (outcome === undefined || !isReport(outcome)) return fail({ code: 'gone', what: 'report' });
  if (outcome.accepted !== null) return fail({ code: 'wrong_state', what: 'report', is: 'accepted' });
  const draft = new Draft(state, facts.now);
  for (const { id } of openOutcomesUpTo(state, outcome.id))
    draft.push({ type: 'outcome.accepted', outcomeId: id });
  return ok(draft.events);
};

/** In `room` it is what the person says to the member, which wakes it; the report waits for the next one. */
export const decideRequestChanges: Of<'request_changes'> = (state, command, facts) => {
  const outcome = outcomeOf(state, command.outcome);
  if (outcome === undefined || !isReport(outcome)) return fail({ code: 'gone', what: 'report' });
  if (outcome.accepted !== null) return fail({ code: 'wrong_state', what: 'report', is: 'accepted' });
  const agent = agentOf(state, outcome.agentId);
  if (agent === undefined || agent.left !== null) return fail({ code: 'gone', what: 'agent' });
  if (isBlank(command.text)) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  const messageId = fromPerson(draft, 'person', agent.id, agent.name, command.text, facts);
  // Asked once more: the report has gone back already, and these are further words.
  if (outcome.returned == null) draft.push({ type: 'outcome.returned', outcomeId: outcome.id, messageId });
  return ok(draft.events);
};
