import { fail, ok } from '../base/result';
import { type AgentId, localId, type NoteId } from '../shared/ids';
import { agentNamed, agentOf, deliveryOf, leadOf, openRunsOf } from '../shared/lookup';
import type { Agent, Principal, State } from '../shared/state';
import { ALL } from './add';
import { closeRun } from './closeRun';
import type { Decide, Facts, PersonCommand, Refusal, TeamCommand } from './commands';
import { Draft } from './draft';
import type { StopRefusal } from './policy';
import { helpersUnder, isUnder, unavailable, under } from './roster';

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
  return agent === undefined ? [] : [agent];
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
  takeOut(draft, inOrder, by);
  return ok(draft.events);
};

/** The person stops a member with its subtree, or the lead's turn; of members the lead is told by a note (L-63, L-96). */
export const decidePersonStop: Decide<Extract<PersonCommand, { type: 'stop' }>> = (state, command, facts) => {
  if (command.name === ALL) return decideStopAll(state, { type: 'stop_all' }, facts);
  const agent = agentNamed(state, command.name);
  if (agent === undefined) return fail({ code: 'unknown', name: command.name });
  const draft = new Draft(state, facts.now);
  if (agent.kind === 'lead') endTurns(draft, agent.id);
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
  for (const helper of helpersUnder(draft.state, lead.id)) takeOutOne(draft, helper, { type: 'person' });
  endTurns(draft, lead.id);
  return ok(draft.events);
};

function stopForPerson(draft: Draft, agents: readonly Agent[]): void {
  takeOut(draft, agents, { type: 'person' });
  const names = agents.filter((agent) => agent.kind === 'member').map((agent) => agent.name);
  if (names.length === 0) return;
  const id = localId<NoteId>('n', draft.state.notes.size);
  draft.push({ type: 'note.added', note: { id, about: { type: 'stopped', names } } });
}

/** They leave the team in the order given, with what they had started (L-90). */
function takeOut(draft: Draft, agents: readonly Agent[], by: Principal): void {
  const helpers = agents.flatMap((agent) => helpersUnder(draft.state, agent.id));
  for (const agent of new Set([...agents, ...helpers])) takeOutOne(draft, agent, by);
}

function takeOutOne(draft: Draft, agent: Agent, by: Principal): void {
  if (agentOf(draft.state, agent.id)?.left !== null) return;
  endTurns(draft, agent.id);
  for (const id of draft.state.open.deliveries) {
    if (deliveryOf(draft.state, id)?.to !== agent.id) continue;
    draft.push({ type: 'delivery.dropped', deliveryId: id, reason: 'stopped' });
  }
  draft.push({ type: 'agent.left', agentId: agent.id, by, reason: 'stopped' });
}

/** A stopped turn reports nothing (L-91) and wakes nobody; mail that waits for the lead stays for its next turn. */
function endTurns(draft: Draft, agentId: AgentId): void {
  for (const run of openRunsOf(draft.state, agentId)) {
    closeRun(draft, run, { reason: 'stopped', detail: null, text: null });
  }
}
