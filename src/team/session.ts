import { fail, ok } from '../base/result';
import { values } from '../base/table';
import { localId, type NoteId, type TeamId } from '../shared/ids';
import { agentOf, leadOf, openRunsOf } from '../shared/lookup';
import type { Limits, SessionSettings, SizeSetting, State } from '../shared/state';
import { addLead, leadRequest } from './add';
import type { Decide, Facts, ModelFacts, PersonCommand, Refusal } from './commands';
import { Draft } from './draft';
import { sizeBoundsHold } from './roster';

type Of<T extends PersonCommand['type']> = Decide<Extract<PersonCommand, { type: T }>>;

const PERSON = { type: 'person' } as const;

/** L-13: refused where it is set, with the bounds; never clamped. */
const sizeProblem = (size: SizeSetting, facts: Facts): Refusal | null =>
  facts.policy.size === null || sizeBoundsHold(size, facts.cap)
    ? null
    : { code: 'size_bounds', min: size.min, max: size.max, cap: facts.cap };

function limitsProblem(limits: Limits): Refusal | null {
  for (const [limit, value] of Object.entries(limits)) {
    if (value !== null && !(Number.isSafeInteger(value) && value >= 1))
      return { code: 'limit_bounds', limit };
  }
  return null;
}

/** L-17: both conditions hold; fixed for as long as the system prompt is (L-20). */
const isOffered = (kind: 'team' | 'solo', model: ModelFacts, facts: Facts): boolean =>
  kind === 'team' && facts.subagentsEnabled && model.servesTwo;

export const decideCreate: Of<'create_session'> = (state, command, facts) => {
  if (state.session !== null) return fail({ code: 'wrong_state', what: 'session', is: 'created' });
  const problem = sizeProblem(command.settings.size, facts) ?? limitsProblem(command.settings.limits);
  if (problem !== null) return fail(problem);
  const model = facts.model(command.model);
  if (model === null) return fail({ code: 'unknown_model', name: command.model });
  const { id, style, kind, title, settings } = command;
  const offered = isOffered(kind, model, facts);
  const draft = new Draft(state, facts.now);
  const session = { id, style, kind, title, createdAt: facts.now, offered, settings };
  draft.push({ type: 'session.created', session });
  const teamId = localId<TeamId>('t', 0);
  draft.push({ type: 'team.created', teamId });
  addLead(draft, { teamId, model, mode: settings.mode, offered }, facts);
  noteSize(draft, settings.size, facts);
  return ok(draft.events);
};

/** L-16, L-95: the lead is told by a note where the style tells by notes, and only if the setting is shown at all. */
function noteSize(draft: Draft, size: SizeSetting, facts: Facts): void {
  const { policy } = facts;
  if (policy.size === null || policy.rosterIn !== 'notes' || draft.state.session?.offered !== true) return;
  const id = localId<NoteId>('n', draft.state.notes.size);
  draft.push({ type: 'note.added', note: { id, about: { type: 'size', size } } });
}

function settingsOf(state: State): SessionSettings | null {
  return state.session?.settings ?? null;
}

export const decideSize: Of<'set_size'> = (state, { size }, facts) => {
  const settings = settingsOf(state);
  if (settings === null) return fail({ code: 'gone', what: 'session' });
  const problem = sizeProblem(size, facts);
  if (problem !== null) return fail(problem);
  if (size.min === settings.size.min && size.max === settings.size.max) return ok([]);
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'settings.changed', settings: { ...settings, size }, by: PERSON });
  noteSize(draft, size, facts);
  return ok(draft.events);
};

/** The person's mode holds for everybody on the team at once: the lead's is the session's, no member's is looser. */
export const decideMode: Of<'set_mode'> = (state, { mode }, facts) => {
  const settings = settingsOf(state);
  if (settings === null) return fail({ code: 'gone', what: 'session' });
  const draft = new Draft(state, facts.now);
  if (settings.mode !== mode)
    draft.push({ type: 'settings.changed', settings: { ...settings, mode }, by: PERSON });
  for (const agent of values(state.agents)) {
    if (agent.left === null && agent.mode !== mode)
      draft.push({ type: 'agent.mode', agentId: agent.id, mode });
  }
  return ok(draft.events);
};

export const decideLimits: Of<'set_limits'> = (state, { limits }, facts) => {
  const settings = settingsOf(state);
  if (settings === null) return fail({ code: 'gone', what: 'session' });
  const problem = limitsProblem(limits);
  if (problem !== null) return fail(problem);
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'settings.changed', settings: { ...settings, limits }, by: PERSON });
  return ok(draft.events);
};

export const decideRename: Of<'rename'> = (state, { title }, facts) => {
  if (state.session === null) return fail({ code: 'gone', what: 'session' });
  if (title.trim() === '') return fail({ code: 'empty' });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'session.renamed', title });
  return ok(draft.events);
};

/** Only what rests can be put away: nothing may work where nobody sees it. */
export const decideArchive: Of<'archive'> = (state, { archived }, facts) => {
  const { session, open } = state;
  if (session === null) return fail({ code: 'gone', what: 'session' });
  if ((session.archived ?? false) === archived) return ok([]);
  if (archived && (open.runs.length > 0 || open.jobs.length > 0))
    return fail({ code: 'wrong_state', what: 'session', is: 'at work' });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'session.archived', archived });
  return ok(draft.events);
};

export const decidePause: Of<'pause'> = (state, { paused }, facts) => {
  if (state.session === null) return fail({ code: 'gone', what: 'session' });
  if (state.session.paused === paused) return ok([]);
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'session.paused', paused });
  return ok(draft.events);
};

/** L-20: a model switch of the lead makes a new prompt and a new list, so it waits for the end of the turn. */
export const decideModel: Of<'set_model'> = (state, command, facts) => {
  const agent = agentOf(state, command.agent);
  if (state.session === null || agent === undefined || agent.left !== null) {
    return fail({ code: 'gone', what: 'agent' });
  }
  const model = facts.model(command.model);
  if (model === null) return fail({ code: 'unknown_model', name: command.model });
  if (openRunsOf(state, agent.id).length > 0)
    return fail({ code: 'wrong_state', what: 'agent', is: 'at work' });
  if (agent.model === model.id) return ok([]);
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'agent.model', agentId: agent.id, model: model.id });
  if (agent.id === leadOf(state)?.id) {
    const offered = isOffered(state.session.kind, model, facts);
    const wasOffered = state.session.offered;
    if (offered !== wasOffered) draft.push({ type: 'session.offered', offered });
    draft.push({
      type: 'agent.rebuilt',
      agentId: agent.id,
      ...facts.build(leadRequest(offered, model, facts)),
    });
    if (offered && !wasOffered) noteSize(draft, state.session.settings.size, facts);
  }
  return ok(draft.events);
};
