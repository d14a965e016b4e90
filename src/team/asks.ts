import { fail, ok } from '../base/result';
import { askOf, openAsks, runOf } from '../shared/lookup';
import type { Ask, AskAnswer, Limits } from '../shared/state';
import type { Decide, Facts, PersonCommand, Refusal } from './commands';
import { Draft } from './draft';
import { endRun } from './endRun';
import { lastWords } from './runs';

type Answer = Extract<PersonCommand, { type: 'answer_ask' }>;

/**
 * The person's answer. It counts once, for exactly the arguments that were shown (A22, A23), and only if it is an
 * answer to this kind of question. A suspended call stays suspended: its run goes on and carries it out or not.
 */
export const decideAnswer: Decide<Answer> = (state, command, facts) => {
  const ask = askOf(state, command.askId);
  if (ask === undefined) return fail({ code: 'gone', what: 'ask' });
  if (ask.phase.status !== 'open') return fail({ code: 'wrong_state', what: 'ask', is: ask.phase.status });
  const refusal = fits(ask, command);
  if (refusal !== null) return fail(refusal);
  const draft = new Draft(state, facts.now);
  const { answer } = command;
  draft.push({ type: 'ask.answered', askId: ask.id, answer });
  answerAlike(draft, ask, answer);
  if (answer.type === 'raise') raise(draft, ask, answer);
  if (answer.type === 'end') endAtLimit(draft, ask, facts);
  return ok(draft.events);
};

function fits(ask: Ask, { answer, argsHash }: Answer): Refusal | null {
  const wrong = { code: 'wrong_state', what: 'answer', is: `${answer.type} to a ${ask.about.type}` } as const;
  switch (ask.about.type) {
    case 'permission':
      if (answer.type !== 'allow' && answer.type !== 'deny') return wrong;
      if (argsHash !== ask.about.argsHash)
        return { code: 'wrong_state', what: 'answer', is: 'for other arguments' };
      return null;
    case 'question':
      return answer.type === 'reply' || answer.type === 'deny' ? null : wrong;
    case 'limit':
      if (answer.type === 'end') return null;
      if (answer.type !== 'raise') return wrong;
      // Not above what is used already: it would ask again at once.
      if (answer.to !== null && !(Number.isFinite(answer.to) && answer.to > ask.about.used))
        return { code: 'limit_bounds', limit: ask.about.limit };
      return null;
  }
}

/** The same call that was asked beside this one: what was denied, or allowed for the run, is not asked twice. */
function answerAlike(draft: Draft, ask: Ask, answer: AskAnswer): void {
  if (ask.about.type !== 'permission') return;
  if (answer.type !== 'deny' && !(answer.type === 'allow' && answer.scope === 'run')) return;
  for (const other of openAsks(draft.state, ask.runId)) {
    if (other.about.type !== 'permission' || other.about.argsHash !== ask.about.argsHash) continue;
    draft.push({ type: 'ask.answered', askId: other.id, answer });
  }
}

const limitKey = { tokens: 'tokens', money: 'microUsd' } as const satisfies Record<string, keyof Limits>;

/** A raised limit holds for the session, so it answers every question about it that it settles. */
function raise(draft: Draft, ask: Ask, answer: Extract<AskAnswer, { type: 'raise' }>): void {
  const settings = draft.state.session?.settings;
  if (ask.about.type !== 'limit' || settings === undefined) return;
  const { limit } = ask.about;
  const limits = { ...settings.limits, [limitKey[limit]]: answer.to };
  draft.push({ type: 'settings.changed', settings: { ...settings, limits }, by: { type: 'person' } });
  for (const other of openAsks(draft.state, null)) {
    if (other.about.type !== 'limit' || other.about.limit !== limit) continue;
    if (answer.to !== null && answer.to <= other.about.used) continue;
    draft.push({ type: 'ask.answered', askId: other.id, answer });
  }
}

function endAtLimit(draft: Draft, ask: Ask, facts: Facts): void {
  const run = runOf(draft.state, ask.runId);
  if (run === undefined || run.phase.status === 'ended' || ask.about.type !== 'limit') return;
  const detail = `limit of ${ask.about.limit}`;
  endRun(draft, run, { reason: 'budget', detail, text: lastWords(draft.state, run), paths: [] }, facts);
}
