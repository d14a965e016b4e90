import type { CommandId } from '../commandIds';
import { messageAgent, openInRoom, stopAgent, stopAll, stopRow } from './agents';
import { openAllDiffs, openDiff, redo, undoFile, undoHunk, undoMember, undoTask } from './changes';
import { continueAll, pauseAll, retry, tellLead } from './control';
import { delegate, newTeam } from './delegate';
import type { CommandRun } from './desk';
import { copyMarkdown, exportTranscript, search, showRequest, showTranscript } from './documents';
import { addModelCommand, changeKey, chooseModel } from './models';
import { rehearse } from './rehearse';
import { resume } from './resume';
import { accept, requestChanges, review } from './review';
import { archiveSession, deleteSession, renameSession, showArchived } from './sessions';
import { changeSettings } from './settings';
import { takeOver } from './takeOver';

/** What each command does. The log is opened by activation, which works even where nothing else does. */
export const commands: Readonly<Record<Exclude<CommandId, 'teamroom.openLog'>, CommandRun>> = {
  'teamroom.delegate': delegate,
  'teamroom.newTeam': newTeam,
  'teamroom.message': messageAgent,
  'teamroom.stopAgent': stopAgent,
  'teamroom.stopAll': stopAll,
  'teamroom.addModel': addModelCommand,
  'teamroom.chooseModel': chooseModel,
  'teamroom.changeKey': changeKey,
  'teamroom.undoMember': undoMember,
  'teamroom.undoTask': undoTask,
  'teamroom.undoHunk': undoHunk,
  'teamroom.redo': redo,
  'teamroom.review': review,
  'teamroom.accept': accept,
  'teamroom.requestChanges': requestChanges,
  'teamroom.undoFile': undoFile,
  'teamroom.openDiff': openDiff,
  'teamroom.openAllDiffs': openAllDiffs,
  'teamroom.pauseAll': pauseAll,
  'teamroom.continue': continueAll,
  'teamroom.retry': retry,
  'teamroom.tellLead': tellLead,
  'teamroom.settings': changeSettings,
  'teamroom.resume': resume,
  'teamroom.rehearse': rehearse,
  'teamroom.takeOver': takeOver,
  'teamroom.renameSession': renameSession,
  'teamroom.archiveSession': archiveSession,
  'teamroom.showArchived': showArchived,
  'teamroom.deleteSession': deleteSession,
  'teamroom.showTranscript': showTranscript,
  'teamroom.showRequest': showRequest,
  'teamroom.exportTranscript': exportTranscript,
  'teamroom.copyMarkdown': copyMarkdown,
  'teamroom.search': search,
  'teamroom.tree.stop': stopRow,
  'teamroom.tree.message': messageAgent,
  'teamroom.tree.open': openInRoom,
};
