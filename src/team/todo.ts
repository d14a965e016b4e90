import { fail, ok } from '../base/result';
import { agentOf } from '../shared/lookup';
import { todoProblem } from '../shared/todo';
import type { Decide, TeamCommand } from './commands';
import { Draft } from './draft';

/** The caller's own list in place of the one before; at most one of its items is in progress. */
export const decideTodo: Decide<Extract<TeamCommand, { type: 'todo' }>> = (state, { by, items }, facts) => {
  const agent = agentOf(state, by);
  if (agent === undefined || agent.left !== null) return fail({ code: 'gone', what: 'agent' });
  const problem = todoProblem(items);
  if (problem !== null) return fail({ code: 'wrong_state', what: 'list', is: problem });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'agent.todo', agentId: by, items });
  return ok(draft.events);
};
