import type { Actor } from './port';

/**
 * Finds out what commands change. The tree is looked at right before and right after a command; what differs is the
 * command's, unless it is known who else did it. The numbers behind this are in `attribution/tree.ts`.
 */
export interface AttributionPort {
  /**
   * Looks at the tree before a command that may change files. Never rejects: a command is not kept from running because
   * its changes can't be told apart; the log says so.
   * @param onChanges gets what is found while the command runs (at the beginning and end of other commands) and at its
   *   end, in the order in which it happened
   */
  begin(actor: Actor, onChanges: (changes: readonly FoundChange[]) => Promise<void>): Promise<CommandWatch>;
  /**
   * A tool or an undo is about to bring files from one content to another: that is nobody's command. Call the answer
   * with whether it was done.
   */
  writing(writes: readonly KnownWrite[]): (done: boolean) => void;
  /** The person is about to save a file in the editor: what it holds until then may be a command's. */
  saving(real: string): void;
  /** The person has saved it. Without `saving` before it is not known what it held until then. */
  saved(real: string): void;
  dispose(): Promise<void>;
}

export interface CommandWatch {
  /**
   * The command has ended. Resolves when what it changed has been handed on; false: that could not be found out, or not
   * all of it. Never rejects.
   */
  end(): Promise<boolean>;
}

export interface KnownWrite {
  /** Absolute, real path. */
  readonly real: string;
  /** What it held; null with a hash: not at hand. */
  readonly before: Uint8Array | null;
  readonly beforeHash: string | null;
  readonly after: Uint8Array | null;
}

/** One file that differs. */
export interface FoundChange {
  /** As shown to models and persons. */
  readonly path: string;
  readonly kind: 'create' | 'modify' | 'delete' | 'rename';
  readonly from?: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** null: no file. A hash whose content is null: the content is not known. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly added: number;
  readonly removed: number;
  readonly mode?: { readonly before: number; readonly after: number };
  readonly sharedWith?: readonly string[];
  readonly undoable: boolean;
}
