import { policies } from '../../team/policies';
import type { StyleFacade } from '../style';
import { helperReply, quoteMarks, renderInput, textsOf } from './render';
import * as texts from './texts';
import { roomTools } from './tools';

/** Teams after spec 3.2.0: a tree of managers and members that talk in one room (rules L). */
export const roomStyle: StyleFacade = {
  style: 'room',
  policy: policies.room,
  tools: roomTools,
  renderInput,
  textsOf,
  quoted: quoteMarks,
  refusal: texts.refusal,
  fact: texts.fact,
  helperReply,
  helperStopped: texts.helperStopped,
  managerText: texts.manager,
};
