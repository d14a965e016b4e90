import { fail, ok, type Result } from '../base/result';
import type { AgentId, MessageId } from '../shared/ids';
import { activeRunOf, agentNamed, agentOf, leadOf } from '../shared/lookup';
import type { Agent, State } from '../shared/state';
import { isBlank } from '../shared/text';
import { ALL, LEAD_NAME, PERSON_NAME } from './add';
import type { Decide, Facts, PersonCommand, Refusal, TeamCommand } from './commands';
import { Draft } from './draft';
import type { SendRefusal } from './policy';
import { post } from './post';
import { treeOrder, unavailable } from './roster';

type Send = Extract<TeamCommand, { type: 'team_send' }>;

/** As addressed: without duplicates, in the order given; `all` anywhere means all (L-51). */
export const addressed = (to: readonly string[]): readonly string[] =>
  to.includes(ALL) ? [ALL] : [...new Set(to)];

const isAll = (to: readonly string[]): boolean => to[0] === ALL;

const checks: Readonly<
  Record<SendRefusal, (state: State, to: readonly string[], sender: Agent, facts: Facts) => Refusal | null>
> = {
  unavailable: (state, _to, sender, facts) => unavailable(state, sender.id, facts),
  nobody: (state, to, sender) =>
    isAll(to) && treeOrder(state).every(({ agent }) => agent.id === sender.id) ? { code: 'nobody' } : null,
  unknown: (state, to, sender, facts) => {
    const missing = to.filter((name) => recipients(state, [name], sender).length === 0);
    // A list is posted as a whole or not at all (X27), unless the style takes it one by one.
    const fails = facts.policy.batch === 'sequential' ? missing.length === to.length : missing.length > 0;
    return fails && missing[0] !== undefined ? { code: 'unknown', name: missing[0] } : null;
  },
  self: (_state, to, sender) => (!isAll(to) && to.includes(sender.name) ? { code: 'self' } : null),
};

/** Who gets it, resolved now (L-52, L-53). */
function recipients(state: State, to: readonly string[], sender: Agent): readonly Agent[] {
  if (isAll(to)) return treeOrder(state).flatMap(({ agent }) => (agent.id === sender.id ? [] : [agent]));
  return to.flatMap((name) => {
    const agent = agentNamed(state, name);
    // A helper is nobody on the team: it works for its caller alone.
    return agent === undefined || agent.kind === 'helper' ? [] : [agent];
  });
}

/** X18: what the style's topology and its batches allow beside the refusals that a seed orders. */
function mayAddress(state: State, to: readonly string[], sender: Agent, facts: Facts): Refusal | null {
  const { policy } = facts;
  if (to.length === 0) return { code: 'empty' };
  if (isAll(to) && !policy.broadcast) return { code: 'not_allowed', what: ALL };
  if (to.length > 1 && policy.batch === null) return { code: 'not_allowed', what: 'several recipients' };
  if (policy.topology === 'mesh') return null;
  const stranger = recipients(state, to, sender).find(
    (agent) => agent.managerId !== sender.id && sender.managerId !== agent.id,
  );
  return stranger === undefined ? null : { code: 'not_allowed', what: stranger.name };
}

export const decideSend: Decide<Send> = (state, command, facts) => {
  const sender = agentOf(state, command.by);
  if (sender === undefined || sender.left !== null) return fail({ code: 'gone', what: 'agent' });
  const to = addressed(command.to);
  for (const code of facts.policy.refusals.send) {
    const refusal = checks[code](state, to, sender, facts);
    if (refusal !== null) return fail(refusal);
  }
  const refusal = mayAddress(state, to, sender, facts);
  if (refusal !== null) return fail(refusal);
  if (isBlank(command.text)) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  const known = isAll(to) ? to : to.filter((name) => recipients(state, [name], sender).length > 0);
  const from = { type: 'agent', id: sender.id } as const;
  const ids = recipients(state, known, sender).map((agent) => agent.id);
  post(
    draft,
    { from, fromName: sender.name, to: known, recipients: ids, kind: 'message', text: command.text },
    facts.policy,
  );
  return ok(draft.events);
};

/** L-38: what a member says to its manager before its final reply: an ordinary message in the room. */
export const decideReport: Decide<Extract<TeamCommand, { type: 'report' }>> = (state, command, facts) => {
  const sender = agentOf(state, command.by);
  if (sender === undefined || sender.left !== null) return fail({ code: 'gone', what: 'agent' });
  const manager = sender.managerId === null ? undefined : agentOf(state, sender.managerId);
  if (manager === undefined) return fail({ code: 'not_allowed', what: 'report' });
  if (isBlank(command.text)) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  const from = { type: 'agent', id: sender.id } as const;
  const to = [manager.name];
  post(
    draft,
    { from, fromName: sender.name, to, recipients: [manager.id], kind: 'message', text: command.text },
    facts.policy,
  );
  return ok(draft.events);
};

/** Changes nothing; refused like the other team tools, and beyond the style's count per run (X7). */
export const decideRead: Decide<Extract<TeamCommand, { type: 'team_read' }>> = (state, command, facts) => {
  const caller = agentOf(state, command.by);
  if (caller === undefined || caller.left !== null) return fail({ code: 'gone', what: 'agent' });
  const refusal = unavailable(state, caller.id, facts);
  if (refusal !== null) return fail(refusal);
  const allowed = facts.policy.statusPerRun;
  if (allowed !== null && (activeRunOf(state, caller.id)?.statusCalls ?? 0) >= allowed) {
    return fail({ code: 'status_again', allowed });
  }
  return ok([]);
};

/** The person's words to the lead: its user message, not the room's (L-62). */
export const decideSay: Decide<Extract<PersonCommand, { type: 'say' }>> = (state, command, facts) => {
  const lead = leadOf(state);
  if (lead === undefined) return fail({ code: 'gone', what: 'session' });
  if (isBlank(command.text)) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  fromPerson(draft, 'user', lead.id, LEAD_NAME, command.text, facts);
  return ok(draft.events);
};

/** The person's words to one member, in the room from `person`. To `lead` it is `say`. */
export const decideSayTo: Decide<Extract<PersonCommand, { type: 'say_to' }>> = (state, command, facts) => {
  if (command.to === LEAD_NAME) return decideSay(state, { type: 'say', text: command.text }, facts);
  const found = memberNamed(state, command.to);
  if (!found.ok) return found;
  if (isBlank(command.text)) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  fromPerson(draft, 'person', found.value.id, found.value.name, command.text, facts);
  return ok(draft.events);
};

export function fromPerson(
  draft: Draft,
  kind: 'user' | 'person',
  to: AgentId,
  name: string,
  text: Extract<PersonCommand, { type: 'say' }>['text'],
  facts: Facts,
): MessageId {
  const from = { type: 'person' } as const;
  // Who speaks to a session that was put away has it back: nothing works where nobody sees it.
  if (draft.state.session?.archived === true) draft.push({ type: 'session.archived', archived: false });
  // The person's word always finds its way, also where mail wakes nobody (X3).
  const policy = facts.policy.wake === null ? { ...facts.policy, wake: 'now' as const } : facts.policy;
  return post(draft, { from, fromName: PERSON_NAME, to: [name], recipients: [to], kind, text }, policy);
}

export function memberNamed(state: State, name: string): Result<Agent, Refusal> {
  const agent = agentNamed(state, name);
  return agent === undefined || agent.kind === 'helper' ? fail({ code: 'unknown', name }) : ok(agent);
}
