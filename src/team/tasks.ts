import { fail, ok } from '../base/result';
import { values } from '../base/table';
import type { TaskId } from '../shared/ids';
import { activeRunOf, agentOf, leadOf, openRunsOf, taskOf } from '../shared/lookup';
import type { State, Task } from '../shared/state';
import type { Decide, RunCommand } from './commands';
import { Draft } from './draft';
import { queueRun } from './post';

/** Tasks that depend on this one, directly or through others. */
export function downstreamOf(state: State, taskId: TaskId): readonly Task[] {
  const found = new Set<TaskId>([taskId]);
  const tasks: Task[] = [];
  // A task is created after those it depends on, so one pass in order of creation finds all.
  for (const task of values(state.tasks)) {
    if (!task.dependsOn.some((id) => found.has(id))) continue;
    found.add(task.id);
    tasks.push(task);
  }
  return tasks;
}

const isUnfinished = (task: Task): boolean => task.status === 'open' || task.status === 'failed';

/**
 * C-65..C-67: reopens a delivered task with a new brief and marks delivered work that built on it as stale; refused
 * while any of that is unfinished. The member and its task stay the same (C-31).
 */
export const decideRevise: Decide<Extract<RunCommand, { type: 'revise_task' }>> = (state, command, facts) => {
  const task = taskOf(state, command.taskId);
  if (task === undefined) return fail({ code: 'gone', what: 'agent' });
  if (task.status !== 'delivered' && task.status !== 'stale') {
    return fail({ code: 'wrong_state', what: 'task', is: task.status });
  }
  const downstream = downstreamOf(state, task.id);
  const unfinished = downstream.filter(isUnfinished);
  if (unfinished.length > 0) {
    const names = unfinished.map((each) => agentOf(state, each.agentId)?.name ?? each.id);
    return fail({ code: 'downstream_unfinished', names });
  }
  const draft = new Draft(state, facts.now);
  const open = { type: 'task.changed', taskId: task.id, status: 'open', evidence: null } as const;
  draft.push({ ...open, brief: command.brief });
  for (const each of downstream) {
    if (each.status !== 'delivered') continue;
    draft.push({ type: 'task.changed', taskId: each.id, status: 'stale', brief: null, evidence: null });
  }
  if (openRunsOf(state, task.agentId).length === 0) {
    const lead = leadOf(state);
    const turn = lead === undefined ? undefined : activeRunOf(state, lead.id);
    const startAfter = facts.policy.start === 'after_turn' ? (turn?.id ?? null) : null;
    queueRun(draft, task.agentId, 'brief', startAfter, task.id);
  }
  return ok(draft.events);
};
