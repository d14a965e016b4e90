import type { AgentId, CallId, MessageId, RunId } from '../shared/ids';
import type { Refusal, TeamAnswer, TeamCommand, TeamFact } from '../team/commands';
import type {
  Actor,
  Answer,
  BackgroundRequest,
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
  Written,
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
  | 'problems'
> & { readonly trees: TreePlans };

/** What a permitted call may use. */
export interface ToolContext extends PrepareContext {
  readonly effects: EffectPort;
  readonly team: TeamPort;
  readonly jobs: JobPort;
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

/** The caller's own commands and helpers in the background. Members are none of them (L-46). */
export interface JobPort {
  /** Its intent is durable before the command runs. */
  start(request: BackgroundRequest): Promise<JobStart>;
  /** Those that run and the latest that have ended, oldest first. */
  list(): readonly JobLine[];
  /**
   * A command's output from an offset on, a helper's last words; null: the caller has no such job.
   * @param waitMs longest time to wait for a command's end first
   */
  read(id: string, since: number, waitMs: number): Promise<JobReading | null>;
  /** Input for a command. `ended`: it takes nothing any more; null: the caller has no such command. */
  send(id: string, text: string, close: boolean): Promise<Written | 'ended' | null>;
  /** Resolves when all of a command's processes have ended; null: the caller has no such command. */
  stop(id: string): Promise<'stopped' | 'ended' | null>;
  /** The words of the session's style. */
  readonly words: TeamWords;
}

export interface TeamWords {
  refusal(refusal: Refusal): string;
  fact(done: Exclude<TeamFact, { type: 'room' }>): string;
}

export type JobStart =
  | { readonly type: 'started'; readonly id: string }
  | { readonly type: 'too_many'; readonly most: number }
  | { readonly type: 'not_started'; readonly status: 'stopped' | 'failed_to_start'; readonly why: string };

export interface JobLine {
  readonly id: string;
  readonly kind: 'command' | 'helper';
  readonly what: string;
  /** In words: "runs for 3.0 s", "ended with exit code 0 after 3.0 s". */
  readonly state: string;
}

/** Offsets count characters from the beginning, also of what is no longer kept. */
export interface JobReading extends JobLine {
  readonly text: string;
  /** Where `text` begins: later than asked for if what was before is no longer kept. */
  readonly from: number;
  /** To be asked for next. */
  readonly next: number;
  /** Characters after `next` that are there already. */
  readonly rest: number;
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
