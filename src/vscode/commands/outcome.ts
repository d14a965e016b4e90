import type { Result } from '../../base/result';
import type { EngineProblem } from '../../runtime/engine';
import { problemText } from '../problemTexts';
import { say } from '../texts';
import { type Desk, TeamroomError } from './desk';

/** The value, or the problem in words: to the person as a notification, to a caller from code as an error. */
export async function demand<T>(desk: Desk, result: Result<T, EngineProblem>): Promise<T> {
  if (result.ok) return result.value;
  const words = problemText(result.error);
  // Not awaited: a notification stays until the person closes it, and the caller must not wait for that.
  desk.asker
    .tell('error', words)
    .catch((error: unknown) => desk.log.error('a problem could not be told', error));
  throw new TeamroomError(result.error.code, words);
}

/** Whether work may start in this window; where not, the person is told what would change that. */
export async function mayRun(desk: Desk): Promise<boolean> {
  const { access } = desk.engine();
  if (access.type === 'writable') return true;
  switch (access.why) {
    case 'untrusted':
      await offer(desk, say.untrusted(), say.manageTrust(), () => desk.editor.run('workbench.trust.manage'));
      return false;
    case 'no_folder':
      await offer(desk, say.noFolder(), say.openFolder(), () =>
        desk.editor.run('workbench.action.files.openFolder'),
      );
      return false;
    case 'elsewhere':
      await offer(desk, say.elsewhere(), say.takeOver(), () => desk.editor.run('teamroom.takeOver'));
      return false;
    case 'disk':
      await offer(desk, problemText({ code: 'store', message: access.detail }), say.openLog(), () =>
        desk.editor.run('teamroom.openLog'),
      );
      return false;
  }
}

async function offer(desk: Desk, words: string, action: string, act: () => Promise<unknown>): Promise<void> {
  if ((await desk.asker.tell('warning', words, action)) === action) await act();
}
