import * as vscode from 'vscode';
import { never } from '../base/never';
import type { Result } from '../base/result';
import type { SessionId } from '../shared/ids';
import type { Act } from '../shared/protocol';
import { type Acted, acted, DONE, failed, run } from './acted';
import { changeAct } from './changeActs';
import type { CommandId } from './commandIds';
import type { Desk } from './commands/desk';
import { TeamroomError } from './commands/desk';
import type { Diffs } from './diffs';
import { outputUri } from './textDocuments';
import { say } from './texts';

export interface ActPorts {
  readonly desk: Desk;
  readonly diffs: Diffs;
  /** Where a path as agents write it lies on the disk. */
  readonly place: (path: string) => string | null;
}

/** Does what the person asked for in the Room. Problems come back as words, to be shown where they clicked. */
export async function perform(ports: ActPorts, session: SessionId | null, act: Act): Promise<Acted> {
  try {
    if (isSessionAct(act))
      return session === null ? failed(say.noTeam()) : await inSession(ports, session, act);
    return await outside(ports, act);
  } catch (error) {
    // A command has told that already, as it does when it is called from the palette.
    if (error instanceof TeamroomError) return { ok: false, words: '' };
    ports.desk.log.error(`the act ${act.type} failed`, error);
    return failed(error instanceof Error ? error.message : String(error));
  }
}

type OutsideAct = Extract<
  Act,
  {
    type:
      | 'openFile'
      | 'switchSession'
      | 'openLink'
      | 'copy'
      | 'delegate'
      | 'addModel'
      | 'chooseModel'
      | 'rehearse'
      | 'takeOver'
      | 'manageTrust'
      | 'openLog';
  }
>;
type SessionAct = Exclude<Act, OutsideAct>;

const sessionActs: ReadonlySet<Act['type']> = new Set<SessionAct['type']>([
  'send',
  'answerAsk',
  'stop',
  'resume',
  'pause',
  'retry',
  'tellLead',
  'setSize',
  'settings',
  'retryOn',
  'openDiff',
  'openAskDiff',
  'openAllDiffs',
  'openOutput',
  'undoFile',
  'undoMember',
  'undoHunk',
  'undoTask',
  'redo',
  'accept',
  'requestChanges',
]);

const isSessionAct = (act: Act): act is SessionAct => sessionActs.has(act.type);

async function inSession({ desk, diffs }: ActPorts, session: SessionId, act: SessionAct): Promise<Acted> {
  const engine = desk.engine();
  switch (act.type) {
    case 'send':
      return acted(await engine.send(session, act.to, act.text));
    case 'answerAsk':
      return acted(await engine.answer(session, act.ask, act.answer, act.argsHash));
    case 'stop':
      return acted(await engine.stop(session, act.name));
    case 'resume':
      return acted(await engine.resume(session, act.go, act.runs));
    case 'pause':
      return acted(await engine.pause(session, act.paused));
    case 'retry':
      return acted(await engine.retry(session, act.run, null));
    case 'tellLead':
      return acted(await engine.tellLead(session));
    case 'setSize':
      return acted(await engine.settings(session, { size: { min: act.min, max: act.max } }));
    case 'settings':
      return run(desk, 'teamroom.settings', { session, what: act.what });
    case 'retryOn':
      return run(desk, 'teamroom.retry', { session, agent: act.agent });
    case 'openDiff':
      return opened(await diffs.openFile(session, act.agent, act.path));
    case 'openAskDiff':
      return opened(await diffs.openAsk(session, act.ask));
    case 'openAllDiffs':
      return opened(await diffs.openAll(session, act.agent));
    case 'openOutput':
      await vscode.window.showTextDocument(outputUri(session, act.call), { preview: true });
      return DONE;
    case 'undoFile':
    case 'undoMember':
    case 'undoHunk':
    case 'undoTask':
    case 'redo':
    case 'accept':
    case 'requestChanges':
      return changeAct(desk, session, act);
    default:
      return never(act);
  }
}

async function outside({ desk, place }: ActPorts, act: OutsideAct): Promise<Acted> {
  switch (act.type) {
    case 'openFile':
      return openFile(place(act.path));
    case 'switchSession':
      return acted(await desk.sessions.look(act.session));
    case 'openLink':
      return openLink(act.url);
    case 'copy':
      await vscode.env.clipboard.writeText(act.text);
      return DONE;
    case 'delegate':
    case 'addModel':
    case 'chooseModel':
    case 'rehearse':
    case 'takeOver':
      return run(desk, `teamroom.${act.type}`);
    case 'manageTrust':
      await vscode.commands.executeCommand('workbench.trust.manage');
      return DONE;
    case 'openLog':
      await vscode.commands.executeCommand('teamroom.openLog' satisfies CommandId);
      return DONE;
    default:
      return never(act);
  }
}

async function openFile(path: string | null): Promise<Acted> {
  if (path === null) return failed(say.noFolder());
  await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
  return DONE;
}

/** The editor shows the whole address and asks before it goes there. */
async function openLink(url: string): Promise<Acted> {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') return failed(say.badLink(url));
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
  return DONE;
}

const opened = (result: Result<null, string>): Acted => (result.ok ? DONE : failed(result.error));
