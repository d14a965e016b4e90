import { fail, ok, type Result } from '../base/result';
import { values } from '../base/table';
import { type AgentId, localId, type TaskId, type TeamId } from '../shared/ids';
import { activeRunOf, agentNamed, agentOf } from '../shared/lookup';
import type { Agent, State } from '../shared/state';
import { headOf, isBlank, type Text } from '../shared/text';
import type { Decide, Facts, ModelFacts, Refusal, TeamCommand } from './commands';
import { Draft } from './draft';
import { helpersPossible } from './helperRoom';
import { type Makings, makingsOf } from './makings';
import type { AddRefusal } from './policy';
import { queueRun } from './post';
import { depthOf, sizeInForce, sizeOf, unavailable } from './roster';

type Add = Extract<TeamCommand, { type: 'team_add' }>;

/** Names of members: a lower-case letter, then at most 31 lower-case letters, digits, `-` or `_`. */
export const NAME_PATTERN = /^[a-z][a-z0-9_-]{0,31}$/;
export const LEAD_NAME = 'lead';
export const ALL = 'all';
export const PERSON_NAME = 'person';

const DEFAULT_EXPERT = 'general';

const checks: Readonly<
  Record<AddRefusal, (state: State, command: Add, caller: Agent, facts: Facts) => Refusal | null>
> = {
  unavailable: (state, _command, caller, facts) => unavailable(state, caller.id, facts),
  all_name: (_state, { name }) => (name === ALL ? { code: 'all_name' } : null),
  bad_name: (_state, { name }) =>
    NAME_PATTERN.test(name) && name !== ALL ? null : { code: 'bad_name', name },
  taken: (state, { name }, _caller, facts) =>
    isTaken(state, name, facts.policy.names) ? { code: 'taken', name } : null,
  no_goal: (_state, command, caller) => (goalOf(command, caller) === null ? { code: 'no_goal' } : null),
  full: (state, _command, _caller, facts) => {
    const bounds = sizeInForce(state, facts);
    const size = sizeOf(state, facts.policy);
    return bounds !== null && size + 1 > bounds.max ? { code: 'full', size, max: bounds.max } : null;
  },
};

/**
 * Also a name that differs in case alone is taken: nobody should be mistaken for another. A helper's stays its own,
 * since it may be started again.
 */
function isTaken(state: State, given: string, names: Facts['policy']['names']): boolean {
  const name = given.toLowerCase();
  if (name === LEAD_NAME || name === PERSON_NAME) return true;
  for (const { name: borne, left, kind } of values(state.agents)) {
    if (borne === name && (names === 'never' || left === null || kind === 'helper')) return true;
  }
  return false;
}

/** L-41: the goal given, else the caller's own. */
const goalOf = (command: Add, caller: Agent): Text | null =>
  command.goal !== null && !isBlank(command.goal) ? command.goal : caller.goal;

function mayAdd(state: State, caller: Agent, facts: Facts): Refusal | null {
  const { policy } = facts;
  // Where a team's members are configured (O-1) no model adds any.
  if (policy.names === 'platform') return { code: 'not_allowed', what: 'team_add' };
  if (caller.kind !== 'lead' && !caller.mayLead) return { code: 'not_allowed', what: 'team_add' };
  if (policy.depth !== null && depthOf(state, caller.id) + 1 > policy.depth)
    return { code: 'too_deep', depth: policy.depth };
  return null;
}

/** Adds a member under the caller and, where the style starts at once, gives it its run (L-34). */
export const decideAdd: Decide<Add> = (state, command, facts) => {
  const caller = agentOf(state, command.by);
  if (caller === undefined || caller.left !== null) return fail({ code: 'gone', what: 'agent' });
  const role = mayAdd(state, caller, facts);
  if (role !== null) return fail(role);
  for (const code of facts.policy.refusals.add) {
    const refusal = checks[code](state, command, caller, facts);
    if (refusal !== null) return fail(refusal);
  }
  const makings = makingsOf(command, caller, facts);
  if (!makings.ok) return makings;
  const needed = dependencies(state, command, facts);
  if (!needed.ok) return needed;
  return ok(addEvents(state, command, { caller, ...makings.value, needed: needed.value }, facts));
};

function dependencies(state: State, command: Add, facts: Facts): Result<readonly TaskId[], Refusal> {
  const names = command.dependsOn ?? [];
  if (names.length > 0 && !facts.policy.dependencies) return fail({ code: 'not_allowed', what: 'dependsOn' });
  const tasks: TaskId[] = [];
  for (const name of names) {
    const taskId = agentNamed(state, name)?.taskId ?? null;
    if (taskId === null) return fail({ code: 'unknown', name });
    tasks.push(taskId);
  }
  return ok(tasks);
}

interface Chosen extends Makings {
  readonly caller: Agent;
  readonly needed: readonly TaskId[];
}

function addEvents(state: State, command: Add, chosen: Chosen, facts: Facts): Draft['events'] {
  const { caller, expert, model } = chosen;
  const draft = new Draft(state, facts.now);
  const goal = goalOf(command, caller);
  // The lead's own goal is the last it gave; members already at work keep what they were told (L-42).
  if (caller.kind === 'lead' && goal !== null && goal !== caller.goal)
    draft.push({ type: 'agent.goal', agentId: caller.id, goal });
  const id = localId<AgentId>('a', state.agents.size);
  const taskId = facts.policy.dependencies ? localId<TaskId>('k', state.tasks.size) : null;
  const built = facts.build({
    style: facts.policy.style,
    name: command.name,
    kind: 'member',
    role: command.role,
    managerName: caller.name,
    // A goal is short and lies in the event itself; of a longer one the prompt has the beginning.
    goal: goal === null ? null : headOf(goal),
    expert,
    mayLead: command.lead,
    offered: state.session?.offered ?? false,
    helpers: helpersPossible(model, facts),
  });
  draft.push({
    type: 'agent.added',
    agent: {
      id,
      name: command.name,
      kind: 'member',
      teamId: caller.teamId,
      managerId: caller.id,
      role: command.role,
      goal,
      expert,
      model: model.id,
      // No looser than its manager's (L-35).
      mode: caller.mode,
      mayLead: command.lead,
      tools: built.tools,
      system: built.system,
      brief: command.brief,
      taskId,
    },
  });
  if (taskId !== null) {
    draft.push({
      type: 'task.created',
      task: { id: taskId, agentId: id, brief: command.brief, dependsOn: chosen.needed },
    });
  }
  startNew(draft, id, caller.id, facts);
  return draft.events;
}

/** X2: when a new member starts is the style's. */
function startNew(draft: Draft, id: AgentId, callerId: AgentId, facts: Facts): void {
  switch (facts.policy.start) {
    case 'now':
      queueRun(draft, id, 'brief', null);
      return;
    case 'after_turn':
      queueRun(draft, id, 'brief', activeRunOf(draft.state, callerId)?.id ?? null);
      return;
    case 'on_mail':
    case 'inline':
      return;
  }
}

/** The lead of a new session. */
export function addLead(
  draft: Draft,
  lead: {
    readonly teamId: TeamId;
    readonly model: ModelFacts;
    readonly mode: Agent['mode'];
    readonly offered: boolean;
  },
  facts: Facts,
): AgentId {
  const id = localId<AgentId>('a', draft.state.agents.size);
  const built = facts.build(leadRequest(lead.offered, lead.model, facts));
  draft.push({
    type: 'agent.added',
    agent: {
      id,
      name: LEAD_NAME,
      kind: 'lead',
      teamId: lead.teamId,
      managerId: null,
      role: LEAD_NAME,
      goal: null,
      expert: DEFAULT_EXPERT,
      model: lead.model.id,
      mode: lead.mode,
      mayLead: true,
      tools: built.tools,
      system: built.system,
      brief: null,
      taskId: null,
    },
  });
  return id;
}

export const leadRequest = (offered: boolean, model: ModelFacts | null, facts: Facts) =>
  ({
    style: facts.policy.style,
    name: LEAD_NAME,
    kind: 'lead',
    role: LEAD_NAME,
    managerName: null,
    goal: null,
    expert: DEFAULT_EXPERT,
    mayLead: true,
    offered,
    helpers: model !== null && helpersPossible(model, facts),
  }) as const;
