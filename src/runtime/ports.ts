import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import type { Result } from '../base/result';
import type { Style } from '../shared/state';
import type { SessionStore, WorkspaceStore } from '../store/port';
import type { StyleFacade } from '../styles/style';
import type { BuildRequest, BuiltAgent } from '../team/commands';
import type { Risk, Tool } from '../tools/defineTool';
import type { AttributionPort } from '../workspace/attributionPort';
import type {
  PermissionMode,
  PermissionRule,
  PermissionVerdict,
  PlacedPath,
  ShellPort,
  Subject,
  WorkspacePort,
} from '../workspace/port';
import type { EngineAccess, HostSettings, ModelsPort } from './engine';

/** Everything the engine is made of; composed by the extension, the headless host and the tests. */
export interface EngineOptions {
  readonly store: WorkspaceStore;
  readonly access: EngineAccess;
  /** The person's Take Over Here: makes the store writable, or says why not. */
  readonly takeOver: () => Promise<Result<WorkspaceStore, string>>;
  readonly workspace: WorkspacePort;
  readonly shell: ShellPort;
  readonly permission: PermissionPort;
  /** Tools that are no style's: read, write, bash, … */
  readonly tools: readonly Tool[];
  readonly styles: Readonly<Partial<Record<Style, StyleFacade>>>;
  readonly experts: ExpertsPort;
  readonly models: ModelsPort;
  readonly settings: HostSettings;
  readonly ledger: LedgerPort;
  readonly attribution: AttributionPort;
  readonly clock: Clock;
  /** Ids of sessions: unique everywhere, sortable by time. */
  readonly newSessionId: () => string;
  readonly log: Log;
}

/** The judge of calls: pure, from the workspace's rules. */
export interface PermissionPort {
  judge(request: {
    readonly mode: PermissionMode;
    readonly rules: readonly PermissionRule[];
    readonly tool: string;
    readonly risk: Risk;
    readonly subjects: readonly Subject[];
    readonly care: (path: PlacedPath) => 'plain' | 'protected' | 'secret';
  }): PermissionVerdict;
  /** Whether the default rules alone, in mode `ask`, let this command run unasked (L-69). */
  isReadingCommand(command: string): boolean;
  /** Whether a file, given by its path as shown, decides what the command does (A15). */
  steering(command: string): (path: string) => boolean;
}

export interface ExpertsPort {
  names(): readonly string[];
  build(request: BuildRequest, keep: SessionStore['keep']): BuiltAgent;
}

/** Line counts and three-way merges of file contents, by libraries. */
export interface LedgerPort {
  countLines(
    before: Uint8Array | null,
    after: Uint8Array | null,
  ): { readonly added: number; readonly removed: number };
  /**
   * The content that `current` has without the change from `before` to `after`; refused where it overlaps later ones.
   */
  withoutChange(
    before: Uint8Array | null,
    after: Uint8Array | null,
    current: Uint8Array | null,
  ): Result<Uint8Array | null, 'conflict' | 'binary'>;
  /** Ids of the hunks between two contents, in their order; null: not text, or too much to be compared in time. */
  hunkIds(before: Uint8Array | null, after: Uint8Array | null): readonly string[] | null;
  /** What `after` would be without this one hunk of the change from `before`; null: there is no such hunk. */
  withoutHunk(before: Uint8Array | null, after: Uint8Array | null, id: string): Uint8Array | null;
}
