import { never } from '../base/never';
import type { EngineProblem } from '../runtime/engine';
import type { Gone, Refusal } from '../team/commands';
import { say, t } from './texts';

/** What happened, to whom, and what can be done: a sentence for a person. */
export function problemText(problem: EngineProblem): string {
  switch (problem.code) {
    case 'refused':
      return refusalText(problem.refusal);
    case 'no_session':
      return t('The task {0} is not in this workspace any more.', problem.session);
    case 'no_step':
      return t('There is no step {0} in this task.', problem.step);
    case 'no_model':
      return problem.model === null
        ? t('No model is set up. Add one, or rehearse in a sample folder.')
        : t('The model {0} is not set up. Choose another, or add it.', problem.model);
    case 'read_only':
      return readOnlyText(problem.why);
    case 'conflict':
      return say.undoRefused(problem.report.refused);
    case 'store':
      return t(
        'The history could not be written or read: {0}. Nothing goes on until that is solved.',
        problem.message,
      );
    default:
      return never(problem);
  }
}

function readOnlyText(why: string): string {
  if (why === 'untrusted') return say.untrusted();
  if (why === 'no_folder') return say.noFolder();
  if (why === 'elsewhere') {
    return t('Another window works on this folder; this one can only read. "Take Over Here" changes that.');
  }
  return t('This window can only read: {0}', why);
}

/** Refusals of the person's own acts. The words for models are the styles'. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.code) {
    case 'unknown':
      return t('There is no agent named {0} any more. It may have been stopped.', refusal.name);
    case 'nobody_to_stop':
      return t('No agent is working, so there is nothing to stop.');
    case 'empty':
      return t("An empty message can't be sent.");
    case 'size_bounds':
      return t(
        "{0} to {1} agents can't be set: 1 ≤ least ≤ most ≤ {2} must hold.",
        refusal.min,
        refusal.max,
        refusal.cap,
      );
    case 'limit_bounds':
      return t('The limit {0} must be a number above 0, or none.', refusal.limit);
    case 'gone':
      return goneText(refusal.what);
    case 'wrong_state':
      return t('{0} is {1}, so that is not possible now.', refusal.what, refusal.is);
    case 'unknown_model':
      return t('The model {0} is not set up. Choose another, or add it.', refusal.name);
    case 'unknown_expert':
      return t('There is no agent definition {0}. There are: {1}.', refusal.name, refusal.known.join(', '));
    case 'not_allowed':
      return t('That is not allowed: {0}.', refusal.what);
    case 'not_yours':
      return t('{0} is led by another agent.', refusal.name);
    case 'taken':
      return t('The name {0} is taken.', refusal.name);
    case 'bad_name':
      return t(
        '{0} can\'t be a name: a lower-case letter, then letters, digits, "-" or "_", at most 32 together.',
        refusal.name,
      );
    case 'all_name':
      return t('"all" means everybody and can\'t be a name.');
    case 'full':
      return t('The team is full: {0} of {1} agents.', refusal.size, refusal.max);
    case 'unavailable':
      return refusal.why === 'one_request'
        ? t(
            'This model serves one request at a time, so no team can work on it. Choose another model, or set how many it serves.',
          )
        : t('The team size is set to one agent, so the lead works alone.');
    default:
      return otherRefusal(refusal);
  }
}

type Other = Extract<
  Refusal,
  {
    code:
      | 'model_full'
      | 'no_helper'
      | 'no_goal'
      | 'nobody'
      | 'self'
      | 'too_deep'
      | 'status_again'
      | 'downstream_unfinished'
      | 'fenced';
  }
>;

/** What only an agent can run into; worded all the same, should it ever come to the person. */
function otherRefusal(refusal: Other): string {
  switch (refusal.code) {
    case 'model_full':
      return t('No helper can start now: {0} is busy.', refusal.model);
    case 'no_helper':
      return t('There is no helper {0}.', refusal.name);
    case 'no_goal':
      return t('The team needs a goal first.');
    case 'nobody':
      return t('There is nobody to write to.');
    case 'self':
      return t("An agent can't write to itself.");
    case 'too_deep':
      return t("Agents can't be nested deeper than {0} levels.", refusal.depth);
    case 'status_again':
      return t('The status was asked for {0} times in this turn already.', refusal.allowed);
    case 'downstream_unfinished':
      return t('Others still need this work: {0}.', refusal.names.join(', '));
    case 'fenced':
      return t(
        'This answer belongs to attempt {0}; attempt {1} is under way.',
        refusal.attempt,
        refusal.current,
      );
    default:
      return never(refusal);
  }
}

function goneText(what: Gone): string {
  switch (what) {
    case 'session':
      return t('This task has been closed.');
    case 'agent':
      return t('This agent has left the team.');
    case 'run':
      return t('This turn has ended already.');
    case 'call':
      return t('This call has ended already.');
    case 'ask':
      return t('This question has been answered or is no longer needed.');
    case 'message':
      return t('There is no such message.');
    case 'report':
      return t('There is no such report.');
    case 'change':
    case 'undo':
      return t('There is nothing to undo any more.');
    default:
      return never(what);
  }
}
