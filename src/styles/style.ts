import type { Ended, InputPart, State, Style } from '../shared/state';
import type { Text } from '../shared/text';
import type { Refusal, TeamFact } from '../team/commands';
import type { Policy } from '../team/policy';
import type { Tool } from '../tools/defineTool';

/**
 * A style as the runtime sees it: policies, the tools that the models see, and the wording of what they are told.
 * It holds no state and starts nothing.
 */
export interface StyleFacade {
  readonly style: Style;
  readonly policy: Policy;
  /** Every team tool of the style; an agent has those that its own list names. */
  readonly tools: readonly Tool[];
  /**
   * One user message from the parts that were taken into a transcript, in their order. `read` gives the whole body
   * of a text: the runtime has loaded those of the parts before.
   */
  renderInput(state: State, parts: readonly InputPart[], read: (text: Text) => string): string;
  /** The texts that `renderInput` will read. */
  textsOf(state: State, parts: readonly InputPart[]): readonly Text[];
  /** Words in which no line can pass for a mark of the style. */
  quoted(text: string): string;
  /** A refusal in the words that the model gets. */
  refusal(refusal: Refusal): string;
  /** What a team command did, in the words that the model gets. */
  fact(done: Exclude<TeamFact, { type: 'room' }>): string;
  /** What a caller reads of a helper that has ended: its last words, and how it ended if not by itself. */
  helperReply(reply: { readonly text: string; readonly ended: Ended | null }): string;
  readonly helperStopped: string;
  /** L-67: what a manager's work call answers. */
  readonly managerText: string;
}
