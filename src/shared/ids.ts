import type { Brand } from '../base/brand';

/**
 * Ids inside a session are a letter and the position in that entity's table ("r12"): short in logs, found without an
 * index, and given by the state itself, so that `decide` needs no source of randomness. Only a session's id is
 * unique everywhere; it comes in from outside.
 */
export type SessionId = Brand<string, 'SessionId'>;
export type TeamId = Brand<string, 'TeamId'>;
export type AgentId = Brand<string, 'AgentId'>;
export type RunId = Brand<string, 'RunId'>;
export type StepId = Brand<string, 'StepId'>;
export type CallId = Brand<string, 'CallId'>;
export type MessageId = Brand<string, 'MessageId'>;
export type DeliveryId = Brand<string, 'DeliveryId'>;
export type TaskId = Brand<string, 'TaskId'>;
export type OutcomeId = Brand<string, 'OutcomeId'>;
export type ChangeId = Brand<string, 'ChangeId'>;
export type AskId = Brand<string, 'AskId'>;
export type NoteId = Brand<string, 'NoteId'>;
/** What the person took back, or put back, in one go. */
export type UndoId = Brand<string, 'UndoId'>;
/** A command in the background. */
export type JobId = Brand<string, 'JobId'>;
/** A model entry of the settings. */
export type ModelId = Brand<string, 'ModelId'>;
/** SHA-256 of the content, hex. */
export type BlobId = Brand<string, 'BlobId'>;

export type LocalId =
  | TeamId
  | AgentId
  | RunId
  | StepId
  | CallId
  | MessageId
  | DeliveryId
  | TaskId
  | OutcomeId
  | ChangeId
  | AskId
  | NoteId
  | JobId
  | UndoId;

export type IdLetter = 't' | 'a' | 'r' | 's' | 'c' | 'm' | 'd' | 'k' | 'o' | 'h' | 'q' | 'n' | 'j' | 'u';

/** The id of the item at `index` in its table. */
export const localId = <T extends LocalId>(letter: IdLetter, index: number): T => `${letter}${index}` as T;

/** The position of an id in its table; -1 for anything that is no such id, which no table holds. */
export function indexOf(id: LocalId): number {
  const digits = id.slice(1);
  // Number('') is 0: what is no id must not be taken for the first one.
  return /^\d+$/.test(digits) ? Number(digits) : -1;
}
