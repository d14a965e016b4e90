import type { AgentId, CallId, MessageId, RunId } from '../shared/ids';
import type { TeamAnswer, TeamCommand } from '../team/commands';
import type {
  Actor,
  Answer,
  CommandOutcome,
  CommandRequest,
  PathProblem,
  PlacedPath,
  PlannedChange,
  PlannedFolder,
  PlannedMove,
  PlannedRemoval,
  Subject,
  TreePlans,
  WorkspacePort,
} from '../workspace/port';

/** What a tool may look at while it works out what a call would do. It changes nothing. */
export interface PrepareContext {
  readonly actor: Actor;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly callId: CallId;
  readonly signal: AbortSignal;
  readonly workspace: Readable;
}

/** The reading half of the workspace. */
export type Readable = Pick<
  WorkspacePort,
  | 'folders'
  | 'place'
  | 'care'
  | 'inspect'
  | 'readText'
  | 'readBytes'
  | 'list'
  | 'glob'
  | 'grep'
  | 'plan'
  | 'peek'
> & { readonly trees: TreePlans };

/** What a permitted call may use. */
export interface ToolContext extends PrepareContext {
  readonly effects: EffectPort;
  readonly team: TeamPort;
  /** Live output of this call, shown to the person; not stored. */
  output(chunk: string): void;
}

/**
 * Side effects. Each puts its intent on disk before it acts and its outcome after it, so that a crash in between is
 * told as an unknown outcome and never repeated.
 */
export interface EffectPort {
  write(change: PlannedChange): Promise<Answer<PlacedPath>>;
  /** Several files in order, all of them intended before the first is written; the first that fails ends it. */
  writeAll(changes: readonly PlannedChange[]): Promise<WrittenFiles>;
  makeFolder(folder: PlannedFolder): Promise<Answer<null>>;
  /** Its files as `writeAll`, then its folders. */
  remove(removal: PlannedRemoval): Promise<WrittenFiles>;
  move(move: PlannedMove): Promise<Answer<null>>;
  command(request: CommandRequest): Promise<CommandOutcome>;
}

/** What became of each of several files. */
export interface WrittenFiles {
  readonly done: readonly PlannedChange[];
  /** null: all were written. */
  readonly problem: PathProblem | null;
  /** The one that failed, and those that were not tried after it. */
  readonly left: readonly PlannedChange[];
}

/** The team behind a team tool: the sender is always the caller, whatever the model wrote (fault 11). */
export interface TeamPort {
  /** Resolves after the flush (C-23, A-5). */
  do(command: TeamCommand): Promise<TeamAnswer>;
}

/** What the person is shown before a call that asks. */
export type Preview =
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly before: string | null;
      readonly after: string | null;
    }
  | { readonly type: 'command'; readonly command: string; readonly cwd: string }
  | { readonly type: 'paths'; readonly paths: readonly string[] };

/** The outcome of working a call out. `answer` ends the call at once: a bad path, an edit that matches nothing. */
export type Prepared<P> =
  | {
      readonly type: 'ready';
      readonly subjects: readonly Subject[];
      readonly preview: Preview | null;
      readonly plan: P;
    }
  | { readonly type: 'answer'; readonly result: ToolResult };

export interface ToolResult {
  /** `refused`: a rule of ours says no; `error`: it was tried or could not be tried. Only errors count as errors (X24). */
  readonly status: 'ok' | 'error' | 'refused';
  /** What the model reads. Always explicit, never empty. */
  readonly text: string;
}

export type ToolAnswer =
  | { readonly type: 'result'; readonly result: ToolResult }
  /** The call waits; whoever resolves its key gives the result (design section 2). */
  | { readonly type: 'suspend'; readonly on: SuspendOn };

export type SuspendOn =
  /** The decision that made the helper has suspended the call on it. */
  | { readonly type: 'helper'; readonly agentId: AgentId }
  | { readonly type: 'question'; readonly text: string; readonly choices: readonly string[] }
  /** Waits for results of members; `deadlineMs` from now. Used by collect and delegate. */
  | { readonly type: 'collect'; readonly of: readonly MessageId[]; readonly deadlineMs: number };
