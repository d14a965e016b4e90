import { never } from '../base/never';
import type { EngineNotice } from '../runtime/engine';
import type { StoreNotice } from '../store/port';
import type { Desk } from './commands/desk';
import { demand } from './commands/outcome';
import { interruptedNames, interruptedRuns } from './commands/resume';
import { say, t } from './texts';

/** Tells the person what the engine found outside of any turn; each with what can be done about it. */
export async function tellNotice(desk: Desk, notice: EngineNotice): Promise<void> {
  switch (notice.type) {
    case 'store':
      return tellAndLog(desk, storeWords(notice.notice));
    case 'survivors_ended':
      return tellAndLog(desk, say.survivorsEnded(notice.commands));
    case 'undo_unknown':
      return tellAndLog(desk, say.undoUnknown(notice.paths));
    case 'failure':
      return tellAndLog(desk, say.failure(notice.message));
    case 'interrupted':
      return tellInterrupted(desk, notice);
    default:
      return never(notice);
  }
}

async function tellInterrupted(
  desk: Desk,
  { session }: Extract<EngineNotice, { type: 'interrupted' }>,
): Promise<void> {
  // With `auto` or `never` it has been decided already, and the Room shows what came of it.
  if (desk.settings.resume() !== 'ask') return;
  const state = desk.sessions.state(session);
  const names = state === null ? [] : interruptedNames(state);
  const told = new Set(state === null ? [] : interruptedRuns(state).map((run) => run.id));
  const choice = await desk.asker.tell(
    'warning',
    say.interrupted(names),
    say.goOn(),
    say.endIt(),
    say.show(),
  );
  if (choice === say.show()) await desk.editor.run('teamroom.tree.open', { type: 'session', session });
  if (choice !== say.goOn() && choice !== say.endIt()) return;
  // It may have stood there for long: what a later restart has interrupted is not what was asked about.
  const now = desk.sessions.state(session);
  const runs = (now === null ? [] : interruptedRuns(now)).map((run) => run.id).filter((id) => told.has(id));
  if (runs.length === 0) return void (await desk.asker.tell('info', say.nothingInterrupted()));
  await demand(desk, await desk.engine().resume(session, choice === say.goOn(), runs));
}

async function tellAndLog(desk: Desk, words: string): Promise<void> {
  desk.log.warn(words);
  const choice = await desk.asker.tell('warning', words, say.openLog());
  if (choice === say.openLog()) await desk.editor.run('teamroom.openLog');
}

function storeWords(notice: StoreNotice): string {
  switch (notice.type) {
    case 'torn_tail':
      return t(
        'The last {0} bytes of the history were cut off by a crash and left out; they had never been confirmed.',
        notice.bytes,
      );
    case 'checkpoint_unusable':
      return t(
        'A checkpoint of the history could not be used ({0}); it was put aside as {1} and nothing is lost.',
        notice.reason,
        notice.putAside,
      );
    case 'broken_middle':
      return t(
        'The history is damaged after record {0}: {1} later records were put aside as {2}.',
        notice.seq,
        notice.lostRecords,
        notice.putAside,
      );
    default:
      return never(notice);
  }
}
