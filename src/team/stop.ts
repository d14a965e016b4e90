import { fail, ok } from '../base/result';
import { type AgentId, localId, type NoteId } from '../shared/ids';
import { agentNamed, agentOf, leadOf } from '../shared/lookup';
import type { Agent, State } from '../shared/state';
import { ALL } from './add';
import { endTurns, takeOut, takeOutHelpers } from './closeRun';
import type { Decide, Facts, PersonCommand, Refusal, TeamCommand } from './commands';
import { Draft } from './draft';
import type { StopRefusal } from './policy';
import { isUnder, unavailable, under } from './roster';

const PERSON = { type: 'person' } as const;

type Stop = Extract<TeamCommand, { type: 'team_stop' }>;

const checks: Readonly<
  Record<StopRefusal, (state: State, name: string, caller: Agent, facts: Facts) => Refusal | null>
> = {
  unavailable: (state, _name, caller, facts) => unavailable(state, caller.id, facts),
  nobody_to_stop: (state, name, caller) =>
    name === ALL && under(state, caller.id).length === 0 ? { code: 'nobody_to_stop' } : null,
  unknown: (state, name, caller) =>
    meant(state, name, caller).length === 0 ? { code: 'unknown', name } : null,
  not_yours: (state, name, caller) => {
    const meantOnes = meant(state, name, caller);
    const yours = meantOnes.length > 0 && meantOnes.every((agent) => isUnder(state, agent.id, caller.id));
    return yours ? null : { code: 'not_yours', name };
  },
};

/** Whom a name means: one agent, or with `all` every member under the caller. */
function meant(state: State, name: string, caller: Agent): readonly Agent[] {
  if (name === ALL) return under(state, caller.id);
  const agent = agentNamed(state, name);
  // Helpers are no members: they are their callers' jobs.
  return agent === undefined || agent.kind === 'helper' ? [] : [agent];
}

export const decideStop: Decide<Stop> = (state, command, facts) => {
  const caller = agentOf(state, command.by);
  if (caller === undefined || caller.left !== null) return fail({ code: 'gone', what: 'agent' });
  if (caller.kind !== 'lead' && !caller.mayLead) return fail({ code: 'not_allowed', what: 'team_stop' });
  for (const code of facts.policy.refusals.stop) {
    const refusal = checks[code](state, command.name, caller, facts);
    if (refusal !== null) return fail(refusal);
  }
  const draft = new Draft(state, facts.now);
  const by = { type: 'agent', id: caller.id } as const;
  const targets = meant(state, command.name, caller);
  const inOrder =
    command.name === ALL ? targets : targets.flatMap((agent) => [agent, ...under(state, agent.id)]);
  for (const agent of inOrder) takeOut(draft, agent, by);
  return ok(draft.events);
};

/** The person stops a member with its subtree, or the lead's turn; of members the lead is told by a note (L-63, L-96). */
export const decidePersonStop: Decide<Extract<PersonCommand, { type: 'stop' }>> = (state, command, facts) => {
  if (command.name === ALL) return decideStopAll(state, { type: 'stop_all' }, facts);
  const agent = agentNamed(state, command.name);
  if (agent === undefined) return fail({ code: 'unknown', name: command.name });
  const draft = new Draft(state, facts.now);
  if (agent.kind === 'lead') endLead(draft, agent.id);
  else stopForPerson(draft, [agent, ...under(state, agent.id)]);
  return ok(draft.events);
};

export const decideStopAll: Decide<Extract<PersonCommand, { type: 'stop_all' }>> = (
  state,
  _command,
  facts,
) => {
  const lead = leadOf(state);
  if (lead === undefined) return fail({ code: 'gone', what: 'session' });
  const draft = new Draft(state, facts.now);
  stopForPerson(draft, under(state, lead.id));
  endLead(draft, lead.id);
  return ok(draft.events);
};

/** The lead's turn, with the helpers that it started; its members go on. */
function endLead(draft: Draft, lead: AgentId): void {
  takeOutHelpers(draft, lead, PERSON);
  endTurns(draft, lead, PERSON);
}

function stopForPerson(draft: Draft, agents: readonly Agent[]): void {
  for (const agent of agents) takeOut(draft, agent, PERSON);
  const names = agents.filter(isMissed).map((agent) => agent.name);
  if (names.length === 0) return;
  const id = localId<NoteId>('n', draft.state.notes.size);
  draft.push({ type: 'note.added', note: { id, about: { type: 'stopped', names } } });
}

/** Whose report somebody waits for: of a helper in the foreground its caller is told by the call itself. */
const isMissed = ({ kind, helper }: Agent): boolean =>
  kind === 'member' || (kind === 'helper' && helper?.background === true);
