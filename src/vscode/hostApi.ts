import type { Result } from '../base/result';
import type { DelegateOptions, Engine, EngineProblem, SettingsPatch } from '../runtime/engine';
import type { AskId, ModelId, SessionId } from '../shared/ids';
import type { ApiDelegateOptions, ApiSettingsPatch, HostApi } from './api';
import { TeamroomError } from './commands/desk';
import { problemText } from './problemTexts';
import type { Sessions } from './sessions';

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
    undo: async (session, agent, path) => {
      const result = await engine().undo(id(session), agent, path ?? null);
      // Everything refused is a report too, for whoever reads it by program.
      if (!result.ok && result.error.code === 'conflict') return result.error.report;
      return must(result);
    },
    answer: async (session, ask, answer, argsHash) =>
      void must(await engine().answer(id(session), ask as AskId, answer, argsHash ?? null)),
    settings: async (session, patch) => must(await engine().settings(id(session), settingsPatch(patch))),
    sessions: async () => {
      const listings = await engine().listings();
      return listings.toSorted((a, b) => b.createdAt - a.createdAt).map((listing) => listing.id);
    },
    state: async (session) => must(await engine().open(id(session))),
  };
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
