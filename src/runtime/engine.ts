import type { Event } from '../base/event';
import type { Result } from '../base/result';
import type { ModelEntry, ModelPort } from '../model/port';
import type { TeamEvent } from '../shared/events';
import type {
  AgentId,
  AskId,
  MessageId,
  ModelId,
  OutcomeId,
  RunId,
  SessionId,
  StepId,
  UndoId,
} from '../shared/ids';
import type {
  AskAnswer,
  Limits,
  PermissionMode,
  SessionSettings,
  SizeSetting,
  State,
  Style,
} from '../shared/state';
import type { Text } from '../shared/text';
import type { SessionListing, StoreNotice } from '../store/port';
import type { ModelFacts, Refusal } from '../team/commands';
import type { PathProblem, PermissionRule } from '../workspace/port';

/**
 * The engine as its hosts see it: the extension's views and commands, the exported API, the headless host and the
 * tests all stand on this and on nothing below it.
 */
export interface Engine {
  /** Read-only when another window holds the workspace, the folder is untrusted, or the disk failed. */
  readonly access: EngineAccess;
  readonly onDidChangeAccess: Event<EngineAccess>;

  listings(): Promise<readonly SessionListing[]>;
  /** Sessions that are in memory now. */
  sessions(): readonly SessionId[];
  /**
   * Loads a session, history included. What was interrupted, and what had only been waiting beside it, goes on when the
   * person says so. After a failure to write, the next act of the person opens the session anew.
   */
  open(session: SessionId): Promise<Result<State, EngineProblem>>;
  state(session: SessionId): State | null;

  /** Creates a session and gives its lead the task. Resolves when both are durable. */
  delegate(options: DelegateOptions): Promise<Result<SessionId, EngineProblem>>;
  /** `to` null: the lead. */
  send(session: SessionId, to: string | null, text: string): Promise<Result<null, EngineProblem>>;
  /** A member with its subtree, the lead's turn (`lead`), or everything (`all`). */
  stop(session: SessionId, name: string): Promise<Result<readonly string[], EngineProblem>>;
  /** Interrupted runs: go on, or end them. `runs` null: all of the session. */
  resume(
    session: SessionId,
    go: boolean,
    runs: readonly RunId[] | null,
  ): Promise<Result<null, EngineProblem>>;
  /** `argsHash` must be the ask's own for a permission (A22, A23). */
  answer(
    session: SessionId,
    ask: AskId,
    answer: AskAnswer,
    argsHash: string | null,
  ): Promise<Result<null, EngineProblem>>;
  /** Takes changes out of the files, or puts them back in; refuses instead of guessing, and never loses a later change. */
  undo(session: SessionId, what: UndoWhat): Promise<Result<UndoReport, EngineProblem>>;
  /** A member's report is in order: it is not to review any more, and no agent is told. */
  accept(session: SessionId, outcome: OutcomeId): Promise<Result<null, EngineProblem>>;
  /** Sends a report back to its member with the person's words, which start its next turn. */
  requestChanges(session: SessionId, outcome: OutcomeId, text: string): Promise<Result<null, EngineProblem>>;
  settings(session: SessionId, patch: SettingsPatch): Promise<Result<SessionSettings, EngineProblem>>;
  /** Paused, no step begins: those that go on end first. Continued, all goes on. */
  pause(session: SessionId, paused: boolean): Promise<Result<null, EngineProblem>>;
  /** A turn that did not end by itself goes on as a new one, on another model if one is named. */
  retry(session: SessionId, run: RunId, model: ModelId | null): Promise<Result<null, EngineProblem>>;
  /** What the lead would be told with the person's next words it is told now. */
  tellLead(session: SessionId): Promise<Result<null, EngineProblem>>;
  rename(session: SessionId, title: string): Promise<Result<null, EngineProblem>>;
  /** Puts a session that rests away, so that no list shows it, or takes it back. */
  archive(session: SessionId, archived: boolean): Promise<Result<null, EngineProblem>>;
  /**
   * Stops the whole team of a session (L-49) and removes everything that was kept of it, file contents for undo
   * included. What agents have changed in the workspace stays.
   */
  deleteSession(session: SessionId): Promise<Result<null, EngineProblem>>;

  /** The body of the request that a step answered, as the model's server got it; no key is in it. */
  exactRequest(session: SessionId, step: StepId): Promise<Result<string, EngineProblem>>;
  /** Messages that hold words beginning with each of these, newest first, at most `limit`. */
  search(session: SessionId, words: string, limit: number): Promise<readonly MessageId[]>;
  /** All records of the session in order, one event as JSON each, a page at a time. */
  records(session: SessionId): AsyncIterable<readonly string[]>;
  /** The whole body of a text in the session. */
  readText(session: SessionId, text: Text): Promise<string>;
  /** A file's content before or after a change; null: there was none. */
  readBlob(session: SessionId, blob: string): Promise<Uint8Array>;
  /** Read-only history window of another holder: take the workspace over. */
  takeOver(): Promise<Result<null, EngineProblem>>;

  /** After the flush, in order, per session. */
  readonly onDidChange: Event<SessionChange>;
  /** A session has been deleted. */
  readonly onDidDelete: Event<SessionId>;
  /** What is not stored: streaming text, live output, retries. Coalesced by the receiver. */
  readonly onLive: Event<LiveUpdate>;
  /** Things a person must be told outside any session. */
  readonly onNotice: Event<EngineNotice>;

  /** Stops runs as interrupted-safe, writes checkpoints, gives the lease back. */
  dispose(): Promise<void>;
}

export type EngineAccess =
  | { readonly type: 'writable' }
  | {
      readonly type: 'read_only';
      readonly why: 'elsewhere' | 'untrusted' | 'disk' | 'no_folder';
      readonly detail: string;
    };

export interface DelegateOptions {
  readonly task: string;
  readonly style?: Style;
  readonly title?: string;
  readonly model?: ModelId;
  readonly mode?: PermissionMode;
  readonly size?: SizeSetting;
  readonly limits?: Partial<Limits>;
}

export interface SettingsPatch {
  readonly size?: SizeSetting;
  readonly mode?: PermissionMode;
  readonly limits?: Partial<Limits>;
}

export interface SessionChange {
  readonly session: SessionId;
  readonly state: State;
  readonly events: readonly TeamEvent[];
}

export type LiveUpdate = { readonly session: SessionId; readonly agent: AgentId; readonly run: RunId } & (
  | { readonly type: 'text'; readonly delta: string }
  /** What was streamed so far is void or has become durable. */
  | { readonly type: 'text_end' }
  | { readonly type: 'tool_writing'; readonly tool: string }
  | { readonly type: 'output'; readonly call: string; readonly chunk: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'thinking' }
  | { readonly type: 'summarising' }
  | { readonly type: 'silent'; readonly minutes: number }
);

export type EngineNotice =
  | { readonly type: 'store'; readonly session: SessionId; readonly notice: StoreNotice }
  | { readonly type: 'interrupted'; readonly session: SessionId; readonly runs: readonly RunId[] }
  /** A crash interrupted an undo of these files, and what they hold now is neither of what they may hold. */
  | { readonly type: 'undo_unknown'; readonly session: SessionId; readonly paths: readonly string[] }
  | { readonly type: 'survivors_ended'; readonly session: SessionId; readonly commands: readonly string[] }
  | { readonly type: 'failure'; readonly message: string };

export type EngineProblem =
  | { readonly code: 'refused'; readonly refusal: Refusal }
  | { readonly code: 'no_session'; readonly session: string }
  | { readonly code: 'no_step'; readonly step: string }
  | { readonly code: 'no_model'; readonly model: string | null }
  | { readonly code: 'read_only'; readonly why: string }
  | { readonly code: 'conflict'; readonly report: UndoReport }
  | { readonly code: 'store'; readonly message: string };

/** By name: who bears it now, else all who bore it. By id: that one alone, also when its name is another's now. */
export type UndoBy = string | { readonly id: AgentId };

export type UndoWhat =
  /** One hunk as it is shown, by its id. */
  | { readonly type: 'hunk'; readonly agent: UndoBy; readonly path: string; readonly hunk: string }
  | { readonly type: 'file'; readonly agent: UndoBy; readonly path: string }
  | { readonly type: 'member'; readonly agent: UndoBy }
  | { readonly type: 'task' }
  /** Undoes an undo, as far as it was done. */
  | { readonly type: 'undo'; readonly undo: UndoId };

export interface UndoReport {
  /** By which it can itself be undone; null: nothing was done. */
  readonly id: UndoId | null;
  readonly undone: readonly string[];
  readonly refused: readonly UndoRefusal[];
}

export interface UndoRefusal {
  readonly path: string;
  readonly why: UndoWhy;
}

/**
 * Why a file was left as it is. `overlap`: the same place was changed since; `no_merge`: changed since, and not text or too
 * long to be merged. `by`: whose changes are in the way; `outside`: the person's, or those of a program.
 */
export type UndoWhy =
  | { readonly code: 'overlap' | 'no_merge'; readonly by: readonly string[]; readonly outside: boolean }
  /** There is no content from before. */
  | { readonly code: 'no_before' }
  /** The hunk is not there any more as it was shown, or is out already. */
  | { readonly code: 'hunk_gone' }
  /** Another file lies where this one lay. */
  | { readonly code: 'place_taken'; readonly place: string }
  /** Only a part of what belongs together could be written, and could not be put back. */
  | { readonly code: 'half_done' }
  /** The file can't be read or written now. */
  | { readonly code: PathProblem['code'] };

/** Models as the person has set them up. The key is asked for when a client is made, never kept in an entry. */
export interface ModelsPort {
  entries(): readonly ModelEntry[];
  defaultModel(): ModelId | null;
  /** A client for an entry; throws nothing: a missing key is a fault of the stream. */
  client(id: ModelId): ModelPort | null;
  /** What the scheduler and the decisions know of a model; null: not set up. */
  facts(id: string): ModelFacts | null;
  /** Millionths of a USD; null where the model has no known price. */
  cost(
    id: ModelId,
    usage: { readonly inputTokens: number; readonly cachedTokens: number; readonly outputTokens: number },
  ): number | null;
}

/** Settings of the host that are read when they are needed. */
export interface HostSettings {
  defaultSize(): SizeSetting;
  cap(): number;
  limits(): Limits;
  mode(): PermissionMode;
  rules(): readonly PermissionRule[];
  resume(): 'ask' | 'auto' | 'never';
  subagentsEnabled(): boolean;
}
