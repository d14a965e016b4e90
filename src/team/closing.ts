import { fail, ok } from '../base/result';
import { values } from '../base/table';
import { leadOf } from '../shared/lookup';
import { endTurns, takeOut, takeOutHelpers } from './closeRun';
import type { Decide, PersonCommand } from './commands';
import { Draft } from './draft';
import { under } from './roster';

const PERSON = { type: 'person' } as const;

/**
 * L-49, X28: a team that lives as long as its session stops as a whole when that is deleted. One that has an end of
 * its own has to be brought to it first.
 */
export const decideDelete: Decide<Extract<PersonCommand, { type: 'delete_session' }>> = (
  state,
  _command,
  facts,
) => {
  const lead = leadOf(state);
  if (lead === undefined) return fail({ code: 'gone', what: 'session' });
  const members = under(state, lead.id);
  if (facts.policy.closeOn !== 'session_delete' && members.length > 0) {
    return fail({ code: 'wrong_state', what: 'team', is: 'open' });
  }
  const draft = new Draft(state, facts.now);
  for (const member of members) takeOut(draft, member, PERSON);
  takeOutHelpers(draft, lead.id, PERSON);
  endTurns(draft, lead.id, PERSON);
  for (const team of values(draft.state.teams)) {
    if (team.status === 'open') draft.push({ type: 'team.dissolved', teamId: team.id });
  }
  return ok(draft.events);
};
