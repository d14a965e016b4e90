import { fail, type Result } from '../base/result';
import type { DelegateOptions, Engine, EngineProblem, SettingsPatch, UndoReport } from '../runtime/engine';
import type { AskId, ModelId, OutcomeId, SessionId, UndoId } from '../shared/ids';
import { agentNamed } from '../shared/lookup';
import { deliverableNamed } from '../shared/review';
import type { ApiDelegateOptions, ApiSettingsPatch, ApiUndoReport, HostApi } from './api';
import {
  acceptArguments,
  given,
  pauseArguments,
  redoArguments,
  requestArguments,
  retryArguments,
  undoArguments,
  undoWhat,
} from './apiArguments';
import { TeamroomError } from './commands/desk';
import { problemText } from './problemTexts';
import type { Sessions } from './sessions';
import { undoWhy } from './texts';

/** The exported API over the engine; nobody is asked anything on the way. */
export function hostApi(engine: () => Engine, sessions: Sessions): HostApi {
  const id = (session: string) => session as SessionId;
  return {
    delegate: async (options) => {
      const session = must(await engine().delegate(delegateOptions(options)));
      must(await sessions.look(session));
      return session;
    },
    send: async (session, text, to) => void must(await engine().send(id(session), to ?? null, text)),
    stop: async (session, name) => must(await engine().stop(id(session), name)),
    resume: async (session, go) => void must(await engine().resume(id(session), go, null)),
    pause: async (session, paused) => {
      const { on } = given(pauseArguments, { on: paused });
      must(await engine().pause(id(session), on));
    },
    retry: async (session, agent, model) => {
      const { name, other } = given(retryArguments, { name: agent, other: model ?? null });
      const run = agentNamed(must(await engine().open(id(session))), name)?.runs.at(-1);
      if (run === undefined) must(fail({ code: 'refused', refusal: { code: 'unknown', name } }));
      else must(await engine().retry(id(session), run, other as ModelId | null));
    },
    tellLead: async (session) => void must(await engine().tellLead(id(session))),
    undo: async (session, agent, path, hunk) =>
      undoReport(
        await engine().undo(
          id(session),
          undoWhat(given(undoArguments, { agent, path: path ?? null, hunk: hunk ?? null })),
        ),
      ),
    redo: async (session, undo) => {
      const what = given(redoArguments, { undo });
      return undoReport(await engine().undo(id(session), { type: 'undo', undo: what.undo as UndoId }));
    },
    accept: async (session, member) => {
      const { name } = given(acceptArguments, { name: member });
      const outcome = await reportOf(engine(), id(session), name);
      must(await engine().accept(id(session), outcome));
    },
    requestChanges: async (session, member, text) => {
      const { name, words } = given(requestArguments, { name: member, words: text });
      const outcome = await reportOf(engine(), id(session), name);
      must(await engine().requestChanges(id(session), outcome, words));
    },
    answer: async (session, ask, answer, argsHash) =>
      void must(await engine().answer(id(session), ask as AskId, answer, argsHash ?? null)),
    settings: async (session, patch) => must(await engine().settings(id(session), settingsPatch(patch))),
    delete: async (session) => void must(await engine().deleteSession(id(session))),
    sessions: async () => {
      const listings = await engine().listings();
      return listings.toSorted((a, b) => b.createdAt - a.createdAt).map((listing) => listing.id);
    },
    state: async (session) => must(await engine().open(id(session))),
  };
}

/** Everything refused is a report too, for whoever reads it by program. */
function undoReport(result: Result<UndoReport, EngineProblem>): ApiUndoReport {
  const report = !result.ok && result.error.code === 'conflict' ? result.error.report : must(result);
  const refused = report.refused.map(({ path, why }) => ({ path, why: undoWhy(why), reason: why }));
  return { ...report, refused };
}

/** The newest report of a member that was not accepted yet. */
async function reportOf(engine: Engine, session: SessionId, name: string): Promise<OutcomeId> {
  const state = must(await engine.open(session));
  const deliverable = deliverableNamed(state, name);
  if (deliverable !== null) return deliverable.outcome.id;
  return must(fail({ code: 'refused', refusal: { code: 'gone', what: 'report' } }));
}

/** @throws TeamroomError with the problem's code and a sentence for a person */
function must<T>(result: Result<T, EngineProblem>): T {
  if (result.ok) return result.value;
  throw new TeamroomError(result.error.code, problemText(result.error));
}

/** What another extension passes is only as good as its own types: what matters is checked here. */
function delegateOptions(options: ApiDelegateOptions): DelegateOptions {
  const { task, title, model, mode, size, limits } = options;
  if (typeof task !== 'string' || task.trim() === '') {
    throw new TeamroomError('bad_argument', problemText({ code: 'refused', refusal: { code: 'empty' } }));
  }
  return {
    task,
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model: model as ModelId }),
    ...settingsPatch({
      ...(mode !== undefined && { mode }),
      ...(size !== undefined && { size }),
      ...(limits !== undefined && { limits }),
    }),
  };
}

function settingsPatch(patch: ApiSettingsPatch): SettingsPatch {
  const { mode } = patch;
  if (mode !== undefined && mode !== 'ask' && mode !== 'edits' && mode !== 'auto') {
    throw new TeamroomError('bad_argument', `mode: ${String(mode)}`);
  }
  return patch;
}
