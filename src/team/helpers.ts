import { fail, ok, type Result } from '../base/result';
import { values } from '../base/table';
import { type AgentId, localId } from '../shared/ids';
import { agentOf, callOf, openRunsOf } from '../shared/lookup';
import type { Agent, State } from '../shared/state';
import { isBlank } from '../shared/text';
import { takeOut } from './closeRun';
import type { Decide, Facts, Refusal, TeamCommand } from './commands';
import { Draft } from './draft';
import { backgroundHelper } from './helperJobs';
import { beyondSize, beyondSlots } from './helperRoom';
import { type Makings, makingsOf } from './makings';
import { post, queueRun } from './post';

type Of<T extends TeamCommand['type']> = Extract<TeamCommand, { type: T }>;

/**
 * An isolated helper is made, given its task and started, and a call in the foreground is suspended on it: one
 * decision, so that a crash leaves neither a helper without a caller nor a caller that waits for nobody.
 */
export const decideTask: Decide<Of<'task'>> = (state, command, facts) => {
  const allowed = mayHaveHelper(state, command, facts);
  if (!allowed.ok) return allowed;
  const caller = allowed.value;
  const size = beyondSize(state, facts);
  if (size !== null) return fail(size);
  const makings = makingsOf(command, caller, facts);
  if (!makings.ok) return makings;
  const draft = new Draft(state, facts.now);
  const id = localId<AgentId>('a', state.agents.size);
  addHelper(draft, id, command, caller, makings.value, facts);
  const runId = queueRun(draft, id, 'brief', null);
  const slots = runId === null ? null : beyondSlots(draft.state, runId, makings.value.model, facts);
  if (slots !== null) return fail(slots);
  if (!command.background) {
    const on = { type: 'helper', agentId: id } as const;
    draft.push({ type: 'call.suspended', callId: command.callId, on, argsHash: null });
  }
  return ok(draft.events);
};

/** X36: who may have helpers at all; a helper has none of its own. */
function mayHaveHelper(state: State, command: Of<'task'>, { policy }: Facts): Result<Agent, Refusal> {
  const caller = agentOf(state, command.by);
  if (caller === undefined || caller.left !== null) return fail({ code: 'gone', what: 'agent' });
  const call = callOf(state, command.callId);
  if (call === undefined || call.phase.status === 'finished') return fail({ code: 'gone', what: 'call' });
  if (policy.helper === null || policy.helper === 'denied' || caller.kind === 'helper') {
    return fail({ code: 'not_allowed', what: 'task' });
  }
  return ok(caller);
}

function addHelper(
  draft: Draft,
  id: AgentId,
  command: Of<'task'>,
  caller: Agent,
  { expert, model }: Makings,
  facts: Facts,
): void {
  const name = freeName(draft.state);
  const { does: role, brief, callId, background } = command;
  const { style } = facts.policy;
  const built = facts.build({
    style,
    name,
    kind: 'helper',
    role,
    managerName: caller.name,
    goal: null,
    expert,
    mayLead: false,
    offered: false,
    helpers: false,
  });
  draft.push({
    type: 'agent.added',
    agent: {
      id,
      name,
      kind: 'helper',
      teamId: caller.teamId,
      managerId: caller.id,
      role,
      goal: null,
      expert,
      model: model.id,
      // No looser than its caller's.
      mode: caller.mode,
      mayLead: false,
      tools: built.tools,
      system: built.system,
      brief,
      taskId: null,
      helper: { callId, background },
    },
  });
}

/** No name of a helper comes twice: one that has ended may be started again. */
function freeName(state: State): string {
  const borne = new Set<string>();
  for (const { name } of values(state.agents)) borne.add(name);
  let n = 1;
  while (borne.has(`helper-${n}`)) n += 1;
  return `helper-${n}`;
}

/**
 * A helper that is at work takes the words at its next step; one that has ended is started again with all it knew,
 * under the same conditions as a new one (L-31).
 */
export const decideHelperSend: Decide<Of<'helper_send'>> = (state, command, facts) => {
  const helper = backgroundHelper(state, command.by, command.name);
  const caller = agentOf(state, command.by);
  if (helper === null || caller === undefined) return fail({ code: 'no_helper', name: command.name });
  if (isBlank(command.text)) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  if (openRunsOf(state, helper.id).length === 0) {
    const refusal = restart(draft, helper, caller, facts);
    if (refusal !== null) return fail(refusal);
  }
  const message = {
    from: { type: 'agent', id: caller.id },
    fromName: caller.name,
    to: [helper.name],
    recipients: [helper.id],
    kind: 'instruction',
    text: command.text,
  } as const;
  post(draft, message, facts.policy);
  return ok(draft.events);
};

function restart(draft: Draft, helper: Agent, caller: Agent, facts: Facts): Refusal | null {
  // What was stopped was meant to end.
  if (helper.left?.reason !== 'ended') return { code: 'wrong_state', what: 'helper', is: 'stopped' };
  const size = beyondSize(draft.state, facts);
  if (size !== null) return size;
  const model = facts.model(helper.model);
  if (model === null) return { code: 'unknown_model', name: helper.model };
  draft.push({ type: 'agent.returned', agentId: helper.id });
  if (helper.mode !== caller.mode) draft.push({ type: 'agent.mode', agentId: helper.id, mode: caller.mode });
  const runId = queueRun(draft, helper.id, 'call', null);
  return runId === null ? null : beyondSlots(draft.state, runId, model, facts);
}

/** Its caller ends it where it is; one that has ended already is left as it is. */
export const decideHelperStop: Decide<Of<'helper_stop'>> = (state, command, facts) => {
  const helper = backgroundHelper(state, command.by, command.name);
  if (helper === null) return fail({ code: 'no_helper', name: command.name });
  const draft = new Draft(state, facts.now);
  takeOut(draft, helper, { type: 'agent', id: command.by });
  return ok(draft.events);
};
