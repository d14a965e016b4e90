import { fail, ok } from '../base/result';
import { localId, type TaskId } from '../shared/ids';
import { agentNamed, agentOf, callOf, openRunsOf, runOf, taskOf } from '../shared/lookup';
import type { Agent } from '../shared/state';
import { inline } from '../shared/text';
import { withDeadline } from './calls';
import { closeRun } from './closeRun';
import type { Decide, Facts, TeamCommand } from './commands';
import { Draft } from './draft';
import { post, queueRun } from './post';

type Delegate = Extract<TeamCommand, { type: 'delegate' }>;

/**
 * O: a member gets an instruction and a run inside the manager's call. Where the manager waits, the call is suspended
 * until the sub-task has an outcome; where the member answers the person itself, the manager is done (O-15).
 */
export const decideDelegate: Decide<Delegate> = (state, command, facts) => {
  const { policy } = facts;
  if (policy.start !== 'inline') return fail({ code: 'not_allowed', what: 'delegate' });
  const manager = agentOf(state, command.by);
  const call = callOf(state, command.callId);
  if (manager === undefined || manager.left !== null) return fail({ code: 'gone', what: 'agent' });
  if (call === undefined || call.phase.status === 'finished') return fail({ code: 'gone', what: 'call' });
  const member = agentNamed(state, command.name);
  if (member === undefined || member.managerId !== manager.id) {
    return fail({ code: 'unknown', name: command.name });
  }
  if (openRunsOf(state, member.id).length > 0)
    return fail({ code: 'wrong_state', what: 'agent', is: 'at work' });
  if (command.thread !== null && taskOf(state, command.thread)?.agentId !== member.id) {
    return fail({ code: 'gone', what: 'message' });
  }
  const draft = new Draft(state, facts.now);
  const taskId = command.thread ?? newThread(draft, member, command);
  post(
    draft,
    {
      from: { type: 'agent', id: manager.id },
      fromName: manager.name,
      to: [member.name],
      recipients: [member.id],
      kind: 'message',
      text: command.instruction,
      thread: taskId,
    },
    policy,
  );
  queueRun(draft, member.id, 'call', null, taskId);
  settleCall(draft, command, taskId, facts);
  return ok(draft.events);
};

function newThread(draft: Draft, member: Agent, command: Delegate): TaskId {
  const id = localId<TaskId>('k', draft.state.tasks.size);
  const brief = command.instruction;
  draft.push({ type: 'task.created', task: { id, agentId: member.id, brief, dependsOn: [] } });
  return id;
}

function settleCall(draft: Draft, { callId }: Delegate, taskId: TaskId, facts: Facts): void {
  const { policy } = facts;
  if (policy.givesSlotBack.includes('delegate')) {
    const on = withDeadline({ type: 'delegate', taskId, deadline: Number.MAX_SAFE_INTEGER }, facts);
    draft.push({ type: 'call.suspended', callId, on, argsHash: null });
    return;
  }
  const result = { status: 'ok', text: inline(taskId) } as const;
  draft.push({ type: 'call.finished', callId, result, statusCall: false });
  const call = callOf(draft.state, callId);
  const run = call === undefined ? undefined : runOf(draft.state, call.runId);
  if (run !== undefined) closeRun(draft, run, { reason: 'delivered', detail: null, text: null });
}
