import { never } from '../base/never';
import type { SessionId } from '../shared/ids';
import type { Act } from '../shared/protocol';
import { type Acted, acted, run } from './acted';
import type { Desk } from './commands/desk';

export type ChangeAct = Extract<
  Act,
  {
    readonly type: 'undoFile' | 'undoMember' | 'undoHunk' | 'undoTask' | 'redo' | 'accept' | 'requestChanges';
  }
>;

/** What the person does with what members have changed, as it was shown to them. */
export async function changeAct(desk: Desk, session: SessionId, act: ChangeAct): Promise<Acted> {
  const engine = desk.engine();
  switch (act.type) {
    case 'undoFile':
      return run(desk, 'teamroom.undoFile', { session, agent: act.agent, path: act.path });
    case 'undoMember':
      return run(desk, 'teamroom.undoMember', { session, agent: act.agent });
    case 'undoHunk':
      return run(desk, 'teamroom.undoHunk', { session, agent: act.agent, path: act.path, hunk: act.hunk });
    case 'undoTask':
      return run(desk, 'teamroom.undoTask', { session });
    case 'redo':
      return run(desk, 'teamroom.redo', { session, undo: act.undo });
    case 'accept':
      return acted(await engine.accept(session, act.outcome));
    case 'requestChanges':
      return acted(await engine.requestChanges(session, act.outcome, act.text));
    default:
      return never(act);
  }
}
