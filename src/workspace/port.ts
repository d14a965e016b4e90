/**
 * The open workspace as the tools see it: every path goes through the gateway, which confines it, knows protected
 * and ignored paths, refuses stale writes and unsaved editors, leases files to running members and keeps a ledger
 * of who changed what. Problems are data, worded by the tool that meets them.
 */

/** Which agent acts, in which run: leases, stale checks and the ledger are kept by it. */
export interface Actor {
  readonly session: string;
  readonly agent: string;
  readonly agentName: string;
  readonly run: string;
}

export interface WorkspaceFolder {
  readonly name: string;
  /** Absolute, real path. */
  readonly root: string;
}

/** A path inside the workspace: what the model writes (`shown`) and where it really lies (`real`). */
export interface PlacedPath {
  readonly shown: string;
  readonly real: string;
  readonly folder: string;
}

export type PathProblem =
  | { readonly code: 'outside'; readonly path: string }
  | { readonly code: 'invalid'; readonly path: string; readonly why: string }
  | { readonly code: 'no_folder'; readonly path: string; readonly folders: readonly string[] }
  | { readonly code: 'denied'; readonly path: string; readonly by: '.teamroomignore' }
  | { readonly code: 'missing'; readonly path: string }
  | { readonly code: 'not_a_file'; readonly path: string; readonly what: string }
  | { readonly code: 'not_a_folder'; readonly path: string }
  | { readonly code: 'exists'; readonly path: string }
  /** One of the open folders, or a folder that holds one: never moved or removed. */
  | { readonly code: 'workspace_folder'; readonly path: string }
  /** A folder that was to be moved into itself. */
  | { readonly code: 'into_itself'; readonly path: string }
  /** More files, or more bytes of them, than are moved or removed at once. */
  | { readonly code: 'too_many'; readonly path: string; readonly limit: number }
  | { readonly code: 'too_much'; readonly path: string; readonly limit: number }
  | { readonly code: 'too_large'; readonly path: string; readonly bytes: number; readonly limit: number }
  | { readonly code: 'binary'; readonly path: string; readonly bytes: number }
  | { readonly code: 'not_utf8'; readonly path: string; readonly bytes: number }
  | { readonly code: 'unsaved'; readonly path: string }
  /** Changed since this agent last read it, or never read by it. `by` names an agent, "you" or "something outside". */
  | { readonly code: 'stale'; readonly path: string; readonly by: string }
  | { readonly code: 'unread'; readonly path: string }
  /** `elsewhere`: an agent of another session has it, whom nobody of this one can write to. */
  | { readonly code: 'leased'; readonly path: string; readonly to: string; readonly elsewhere: boolean }
  | { readonly code: 'io'; readonly path: string; readonly why: string };

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: PathProblem };

/** How careful a path asks us to be. */
export type PathCare =
  | 'plain'
  /** `.git`, `.vscode`, agent folders, hard links to elsewhere: writing always asks. */
  | 'protected'
  /** `.env*`, `*.pem`, `id_*`: reading asks too. */
  | 'secret';

export interface FileContent {
  readonly path: PlacedPath;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly hash: string;
}

/** A change that has been worked out but not done: what the person sees in an approval and what the intent records. */
export interface PlannedChange {
  readonly path: PlacedPath;
  readonly kind: 'create' | 'modify' | 'delete';
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  /** Permission bits: those of what is there now, or those that a new file is to have. Absent: as new files get them. */
  readonly mode?: number;
}

export interface PlannedFolder {
  readonly path: PlacedPath;
  readonly exists: boolean;
}

/** Most files that are moved or removed at once, and their bytes together: all of them are kept for undo. */
export const MOST_TREE_FILES = 200;
export const MOST_TREE_BYTES = 10_000_000;

/** The removal of a file or of a folder with all that is in it. */
export interface PlannedRemoval {
  readonly path: PlacedPath;
  readonly what: 'file' | 'folder';
  readonly changes: readonly PlannedChange[];
  /** Outer before inner. */
  readonly folders: readonly PlacedPath[];
}

export interface PlannedMove {
  readonly from: PlacedPath;
  readonly to: PlacedPath;
  readonly what: 'file' | 'folder';
  /** Of each file: that it comes into being there, and that it is gone here. */
  readonly changes: readonly PlannedChange[];
  /** Old and new ones. */
  readonly folders: readonly PlacedPath[];
}

/** What a command line would do, as far as its syntax tells; worked out before permission is judged. */
export interface CommandInspection {
  /** Every part only reads, names nothing outside the workspace and nothing secret or denied. */
  readonly reading: boolean;
  /** Why the line can't be judged at all; null: its syntax is understood. */
  readonly unparsable: string | null;
  /** Careful or denied paths that the line names: they ask in every mode. */
  readonly touches: readonly { readonly path: string; readonly care: 'protected' | 'secret' }[];
  /** Why it isn't taken for a reading command; empty if it is. */
  readonly detail: string;
}

export interface WorkspacePort {
  readonly folders: readonly WorkspaceFolder[];
  /** Confines a path written by a model or a person. Resolves symbolic links of the deepest existing ancestor. */
  place(path: string): Promise<Answer<PlacedPath>>;
  care(path: PlacedPath): PathCare;
  /** Judges a command line by its syntax tree and by the files that it names, without running anything. */
  inspect(command: string, cwd: PlacedPath): Promise<CommandInspection>;
  /** Reads a text file and remembers that this actor has seen it in this state. `maxBytes` bounds memory. */
  readText(path: PlacedPath, actor: Actor, maxBytes: number): Promise<Answer<FileContent>>;
  readBytes(path: PlacedPath, maxBytes: number): Promise<Answer<Uint8Array>>;
  list(path: PlacedPath, depth: number, limit: number, signal: AbortSignal): Promise<Answer<Listing>>;
  glob(
    pattern: string,
    under: PlacedPath | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Answer<Listing>>;
  grep(query: GrepQuery, signal: AbortSignal): Promise<Answer<GrepResult>>;
  /** Works a write out: checks unsaved text, staleness and leases, and reads the content before. Changes nothing. */
  plan(path: PlacedPath, after: Uint8Array | null, actor: Actor): Promise<Answer<PlannedChange>>;
  /** Does a planned change if the file is still in the state that was planned on. Takes the lease for the actor. */
  apply(change: PlannedChange, actor: Actor): Promise<Answer<PlacedPath>>;
  /** Moving, removing and making of whole folders. */
  readonly trees: TreePort;
  /** What the editor says of files below a path, or of all; null: there is no editor. Secret and denied files are left out. */
  problems(under: PlacedPath | null): Promise<readonly FoundProblem[] | null>;
  /** A command of the actor's left the file in this state (null: gone): who meets it is told who changed it. */
  noteCommand(path: PlacedPath, actor: Actor, hash: string | null): void;
  /** Ends the actor's leases (its run has ended). */
  release(actor: Actor): void;
  /** Text and hash now, without marking it as read: for recovery and undo. null: no such file. */
  peek(
    path: PlacedPath,
  ): Promise<Answer<{ readonly bytes: Uint8Array; readonly hash: string; readonly mode: number } | null>>;
  /** Undo and recovery write past leases and stale checks, but never over unsaved text or another content than `expectHash`. */
  restore(
    path: PlacedPath,
    content: Uint8Array | null,
    expectHash: string | null,
    /** Permission bits that the file gets; without them it keeps its own. */
    mode?: number | null,
  ): Promise<Answer<PlacedPath>>;
}

/** Works out what would happen to files and folders as such; changes nothing. */
export interface TreePlans {
  planFolder(path: PlacedPath): Promise<Answer<PlannedFolder>>;
  /** A file that goes away need not have been read, but must not have changed since it was. */
  planRemoval(path: PlacedPath, actor: Actor): Promise<Answer<PlannedRemoval>>;
  planMove(from: PlacedPath, to: PlacedPath, actor: Actor): Promise<Answer<PlannedMove>>;
}

export interface TreePort extends TreePlans {
  /** Makes a folder and those above it that are missing. */
  makeFolder(path: PlacedPath): Promise<Answer<null>>;
  /** Removes the folders of a removal, after its files. */
  removeFolders(removal: PlannedRemoval): Promise<Answer<null>>;
  /** Does a planned move in one step, if every file is still as it was planned on and nothing lies at its new place. */
  move(plan: PlannedMove, actor: Actor): Promise<Answer<null>>;
}

export interface Listing {
  readonly entries: readonly {
    readonly path: string;
    readonly type: 'file' | 'folder' | 'link';
    readonly bytes: number;
  }[];
  readonly truncated: boolean;
}

export interface GrepQuery {
  readonly pattern: string;
  readonly under: PlacedPath | null;
  readonly glob: string | null;
  readonly ignoreCase: boolean;
  readonly limit: number;
}

export interface GrepResult {
  readonly hits: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly truncated: boolean;
  readonly skipped: number;
}

export type Severity = 'error' | 'warning' | 'info' | 'hint';

/** What the editor's language support says of a place in a file, as it is in the editor now. */
export interface EditorProblem {
  readonly real: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly message: string;
  /** Who says so, with its code: "ts 2304"; '' if it doesn't tell. */
  readonly source: string;
}

/** One of them with its path as shown. */
export type FoundProblem = Omit<EditorProblem, 'real'> & { readonly path: string };

/** Unsaved text in editors, and what they know of files; headless there is none. */
export interface EditorPort {
  /** Absent: there is no editor that could know of any. */
  problems?(): readonly EditorProblem[];
  isDirty(realPath: string): boolean;
  /** A file was written by us: the editor may refresh at once. */
  didWrite(realPath: string): void;
}

// ---- commands ----

export interface CommandRequest {
  readonly command: string;
  readonly cwd: PlacedPath;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface CommandOutcome {
  readonly status: 'exited' | 'timed_out' | 'stopped' | 'failed_to_start';
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Both streams interleaved as they came, cut in the middle with a note beyond `maxOutputBytes`. */
  readonly output: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly why?: string;
}

/** Identifies a process group beyond the life of this host: a reused pid has another start time. */
export interface ProcessGroup {
  readonly pgid: number;
  /** Kernel start time of the leader, as text; compared for equality only. */
  readonly startedAt: string;
}

/** A command in the background: it has no time limit unless one is given, and its output is the caller's to keep. */
export interface BackgroundRequest {
  readonly command: string;
  readonly cwd: PlacedPath;
  readonly timeoutMs: number | null;
}

/** How a command in the background ended. */
export type BackgroundEnd = Pick<CommandOutcome, 'exitCode' | 'signal' | 'durationMs' | 'why'> & {
  readonly status: 'exited' | 'timed_out' | 'stopped';
};

/** A command that has been let go. */
export interface BackgroundCommand {
  /** Resolves when its whole group and its output have ended; never rejects. */
  readonly ended: Promise<BackgroundEnd>;
  /** Puts text into its input; `close`: its input ends there. `waits`: it has not taken it yet; `closed`: it takes none. */
  write(text: string, close: boolean): Promise<Written>;
}

export type Written = 'taken' | 'waits' | 'closed';

export type BackgroundStart =
  | { readonly type: 'started'; readonly command: BackgroundCommand }
  | { readonly type: 'not_started'; readonly status: 'stopped' | 'failed_to_start'; readonly why: string };

export interface ShellPort {
  /**
   * Runs a command in its own process group. The group exists but executes nothing until `intent` has resolved (it
   * makes the group durable), so that no command can outlive a crash unseen. Abort: SIGTERM to the group, 150 ms
   * later SIGKILL. Never rejects for what the command does.
   */
  run(
    request: CommandRequest,
    intent: (group: ProcessGroup) => Promise<void>,
    onOutput: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<CommandOutcome>;
  /**
   * Starts a command in the background, in its own process group, as `run` does: nothing is executed until `intent` has
   * resolved. Abort ends the group. Its input stays open; all of its output is passed on.
   */
  start(
    request: BackgroundRequest,
    intent: (group: ProcessGroup) => Promise<void>,
    onOutput: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<BackgroundStart>;
  /** Ends a group that a dead host left, if it is still the same one. Resolves to whether anything was ended. */
  endSurvivor(group: ProcessGroup): Promise<boolean>;
}

// ---- permission ----

export type PermissionMode = 'ask' | 'edits' | 'auto';

/** What a call is about to touch, worked out by the tool before it runs. */
export type Subject =
  | { readonly type: 'read'; readonly path: PlacedPath }
  | {
      readonly type: 'write';
      readonly path: PlacedPath;
      /** A schema's address that the write brings into the file and that the editor would fetch by itself (A20). */
      readonly remoteSchema?: string;
    }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly cwd: PlacedPath;
      /** From `inspect`. Without it the command counts as one that doesn't only read. */
      readonly inspection?: CommandInspection;
    };

/** A rule of the person's: most specific first, deny beats allow. */
export interface PermissionRule {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** A tool's name, or '*'. */
  readonly tool: string;
  /** A glob on paths, or a command prefix with a trailing '*'; null matches every use of the tool. */
  readonly pattern: string | null;
}

export type PermissionVerdict =
  | { readonly type: 'allow'; readonly by: 'class' | 'mode' | 'rule' | 'reading_command' }
  | { readonly type: 'ask'; readonly why: AskReason }
  | { readonly type: 'deny'; readonly rule: PermissionRule };

export type AskReason =
  | { readonly code: 'mode' }
  | { readonly code: 'rule'; readonly rule: PermissionRule }
  | { readonly code: 'protected_path'; readonly path: string }
  | { readonly code: 'secret_path'; readonly path: string }
  | { readonly code: 'remote_schema'; readonly path: string; readonly url: string }
  | { readonly code: 'unparsable_command'; readonly detail: string };
