import type { AgentId, BlobId, ChangeId, UndoId } from './ids';
import type { Principal } from './principal';

/** One act by which files were taken back, or by which that was taken back again. Its files are written one after another. */
export interface Undo {
  readonly id: UndoId;
  readonly at: number;
  readonly by: Principal;
  readonly of: 'hunk' | 'file' | 'member' | 'task' | 'undo';
  readonly units: readonly UndoUnit[];
}

/** What is written as a whole or not at all: one file, or the files that a rename ties together. */
export interface UndoUnit {
  /** As the person knows it; of several the newest name. */
  readonly path: string;
  /** Whose changes it is about. */
  readonly agents: readonly AgentId[];
  readonly changes: readonly ChangeId[];
  /** Those of them that are as a whole out of the files (`undone`), or in them again (`standing`), when it is done. */
  readonly marks: readonly ChangeId[];
  readonly to: 'undone' | 'standing';
  /** The hunk it is about; null: all of the changes. */
  readonly hunk: string | null;
  /** The unit that it takes back. */
  readonly takesBack: { readonly undo: UndoId; readonly unit: number } | null;
  readonly writes: readonly UndoWrite[];
  /** `unknown`: its host died while it wrote, and since then the files are neither as before nor as they should be. */
  readonly phase: 'open' | 'done' | 'not_done' | 'unknown';
}

/** null on both sides of a content and its hash: no file. */
export interface UndoWrite {
  readonly path: string;
  readonly before: BlobId | null;
  readonly after: BlobId | null;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  /** Permission bits; null: there is no file, or it gets those of new files. */
  readonly mode?: { readonly before: number | null; readonly after: number | null };
}
