import type { AgentId, BlobId, CallId, ChangeId, RunId } from './ids';
import type { Principal } from './principal';

/** One change of one file by one agent. */
export interface Change {
  readonly id: ChangeId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly callId: CallId;
  readonly path: string;
  readonly kind: 'create' | 'modify' | 'delete' | 'rename';
  /** Of a rename: its name before. `before` is what that held. */
  readonly from?: string;
  /** null on both sides of a content and its hash: no file. A hash alone: nobody kept what the file held. */
  readonly before: BlobId | null;
  readonly after: BlobId | null;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly added: number;
  readonly removed: number;
  /**
   * Permission bits, where they were changed too; with equal contents they are all that was changed. Of a file that a
   * tool removed: those it had, twice.
   */
  readonly mode?: { readonly before: number; readonly after: number };
  /** Not given: by a tool. */
  readonly by?: 'tool' | 'command';
  /** Names of other agents whose commands ran at the time: it may be theirs as well. */
  readonly sharedWith?: readonly string[];
  /** false: the content before or after is not known, or it is no regular file. */
  readonly undoable?: boolean;
  readonly at: number;
  readonly undone: { readonly at: number; readonly by: Principal } | null;
}
