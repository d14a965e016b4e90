import type { AskAnswer } from '../shared/state';
import type { StyleFacade } from '../styles/style';
import type { GateRefusal } from '../team/gate';
import type { PermissionRule } from '../workspace/port';

/** What a model is told about the person's decisions and about the host. */

export const deniedByPerson = (words: string): string =>
  `The person denied this call. Nothing was done.${words.trim() === '' ? '' : ` Their words: ${words.trim()}`} The same call will be denied again in this run without asking; find another way or say what you need.`;

export const deniedBefore =
  'The person denied this same call before. Nothing was done and they were not asked again.';

export const deniedByRule = (rule: PermissionRule): string =>
  `A rule of the person's denies this: ${rule.tool}${rule.pattern === null ? '' : ` ${rule.pattern}`}. Nothing was done.`;

export function replyText(answer: AskAnswer): string {
  switch (answer.type) {
    case 'reply':
      return `The person answers: ${answer.text}`;
    case 'allow':
      return 'The person allows it.';
    case 'deny':
      return `The person declines to answer.${answer.words.trim() === '' ? '' : ` Their words: ${answer.words.trim()}`}`;
    case 'raise':
    case 'end':
      return 'The person closed the question without an answer.';
  }
}

export const withdrawnText = 'The question was withdrawn.';

export const repeatedCall =
  'You have made this exact call before in this run, with nothing changed in between. It was not run again: use the earlier result and go on.';

export const tooManyErrors =
  'Too many calls have failed in this session. Use no more tools: give your best final answer now, and say what is missing.';

export const unknownWrite = (path: string): string =>
  `The host ended while ${path} was being written, and what is there now is neither the old nor the new content. It was not written again: read the file and decide.`;

export const unknownCommand = (command: string): string =>
  `The host ended while this command was running: ${command}. Nobody knows how far it got; what was left of it was ended. It was not run again: look at its effects and decide.`;

export const lostOutput = (command: string): string =>
  `This command had ended just before the host did, and its output was lost: ${command}. It was not run again: look at its effects and decide.`;

export const changesUnknown =
  '\n[Which files it changed could not be found out: they are not listed as yours and can not be undone.]';

export const changesUnknownBriefly = 'which files it changed could not be found out';

export const endedInTheMiddle = (done: readonly string[], left: readonly string[]): string =>
  `The host ended in the middle of this call. Done: ${listed(done)}. Not done: ${listed(left)}. Nothing was repeated: look at what is there and decide.`;

const listed = (paths: readonly string[]): string => (paths.length === 0 ? 'nothing' : paths.join(', '));

export const doneBeforeRestart = 'It was done just before the host ended; its result was lost.';

export const resumedText =
  'Your turn was interrupted by a restart of the host and now goes on. What you had done before is above; a call marked as unknown was not repeated. Read a file again before you write to it.';

export const retriedText = (how: string): string =>
  `Your turn had ended otherwise than by itself (${how}). The person lets it go on: what you had done is above. Go on from there, and look before you do again what may have been done.`;

/** Why a call was answered before anybody was asked. */
export function gateText(refusal: GateRefusal, style: Pick<StyleFacade, 'managerText'>): string {
  switch (refusal) {
    case 'manager':
      return style.managerText;
    case 'repetition':
      return repeatedCall;
    case 'errors':
      return tooManyErrors;
  }
}
