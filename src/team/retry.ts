import { fail, ok } from '../base/result';
import { agentOf, leadOf, noteOf, openRunsOf, runOf, taskOf } from '../shared/lookup';
import { mayRetry } from '../shared/retry';
import type { Decide, PersonCommand } from './commands';
import { Draft } from './draft';
import { queueRun } from './post';
import { decideModel } from './session';

/**
 * The person lets a turn go on that did not end by itself: a new turn on the stored steps, with limits of its own. Whoever
 * was told of the failure gets the report of the new turn like any other.
 */
export const decideRetry: Decide<Extract<PersonCommand, { type: 'retry' }>> = (state, command, facts) => {
  const run = runOf(state, command.runId);
  if (run === undefined) return fail({ code: 'gone', what: 'run' });
  if (!mayRetry(state, run)) return fail({ code: 'wrong_state', what: 'run', is: 'not to be tried again' });
  const draft = new Draft(state, facts.now);
  const { model } = command;
  if (model !== null && model !== agentOf(state, run.agentId)?.model) {
    const switched = decideModel(state, { type: 'set_model', agent: run.agentId, model }, facts);
    if (!switched.ok) return switched;
    for (const event of switched.value) draft.push(event);
  }
  if (run.taskId !== null && taskOf(draft.state, run.taskId)?.status === 'failed') {
    draft.push({ type: 'task.changed', taskId: run.taskId, status: 'open', brief: null, evidence: null });
  }
  queueRun(draft, run.agentId, 'retry', null, run.taskId);
  return ok(draft.events);
};

/** What the lead would be told with the person's next words it is told now: at its next step, or by a turn of its own. */
export const decideTellLead: Decide<Extract<PersonCommand, { type: 'tell_lead' }>> = (
  state,
  _command,
  facts,
) => {
  const lead = leadOf(state);
  if (lead === undefined) return fail({ code: 'gone', what: 'session' });
  const waiting = state.open.notes.filter((id) => noteOf(state, id)?.pressing !== true);
  if (waiting.length === 0) return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'notes.pressed', notes: waiting });
  if (openRunsOf(state, lead.id).length === 0) queueRun(draft, lead.id, 'user', null);
  return ok(draft.events);
};
