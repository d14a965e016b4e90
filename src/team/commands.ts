import type { Result } from '../base/result';
import type { TeamEvent } from '../shared/events';
import type {
  AgentId,
  AskId,
  CallId,
  DeliveryId,
  JobId,
  MessageId,
  ModelId,
  OutcomeId,
  RunId,
  SessionId,
  TaskId,
  UndoId,
} from '../shared/ids';
import type {
  AskAbout,
  AskAnswer,
  CallResult,
  Change,
  CompactedEntry,
  EffectIntent,
  Ended,
  FinishReason,
  JobEnd,
  PermissionMode,
  PermittedBy,
  Principal,
  SessionSettings,
  SizeSetting,
  State,
  StepUsage,
  Style,
  Suspension,
  TodoItem,
} from '../shared/state';
import type { Text } from '../shared/text';
import type { Undo, UndoUnit } from '../shared/undoRecord';
import type { Policy } from './policy';

/** What `decide` may know beside the state: everything that is neither event nor policy. Pure data, given each time. */
export interface Facts {
  readonly now: number;
  readonly policy: Policy;
  /** Upper bound of the size setting (L-12). */
  readonly cap: number;
  /** What is known of a model; null: not set up. */
  readonly model: (id: string) => ModelFacts | null;
  /** Ids of the models that are set up, to be told to who names another. */
  readonly models?: readonly string[];
  /** Names of the expert definitions an agent may be made from. */
  readonly experts: readonly string[];
  /** The model that an expert definition asks for; absent or null: none. */
  readonly expertModel?: (expert: string) => string | null;
  /** The window's other open sessions: they share the models' slots. */
  readonly others?: () => readonly State[];
  /** L-18. */
  readonly subagentsEnabled: boolean;
  /** Builds a member's prompt and tools at adding (L-37, L-39): text work that the state holds from then on. */
  readonly build: (request: BuildRequest) => BuiltAgent;
}

export interface ModelFacts {
  readonly id: ModelId;
  /** L-101: slots; null: no bound of its own. */
  readonly slots: number | null;
  readonly capacityGroup: string | null;
  /** L-19 */
  readonly servesTwo: boolean;
}

export interface BuildRequest {
  readonly style: Style;
  readonly name: string;
  readonly kind: 'lead' | 'member' | 'helper';
  readonly role: string;
  readonly managerName: string | null;
  readonly goal: string | null;
  readonly expert: string;
  readonly mayLead: boolean;
  readonly offered: boolean;
  /** Whether it may hand pieces of its work to helpers. */
  readonly helpers: boolean;
}

export interface BuiltAgent {
  readonly system: Text;
  readonly tools: readonly string[];
}

/** Problems as data; worded by the style's texts for a model, by the view's texts for a person. */
export type Refusal =
  | { readonly code: 'unavailable'; readonly why: 'one_request' | 'one_agent' }
  | { readonly code: 'all_name' }
  | { readonly code: 'bad_name'; readonly name: string }
  | { readonly code: 'taken'; readonly name: string }
  | { readonly code: 'no_goal' }
  | { readonly code: 'full'; readonly size: number; readonly max: number }
  /** L-88: a helper could not begin now; `slots`: all of them are taken, null: others go before it, or its capacity group is busy. */
  | { readonly code: 'model_full'; readonly model: string; readonly slots: number | null }
  /** No helper of the caller's in the background has this name. */
  | { readonly code: 'no_helper'; readonly name: string }
  | { readonly code: 'nobody' }
  | { readonly code: 'unknown'; readonly name: string }
  | { readonly code: 'self' }
  | { readonly code: 'nobody_to_stop' }
  | { readonly code: 'not_yours'; readonly name: string }
  | { readonly code: 'unknown_expert'; readonly name: string; readonly known: readonly string[] }
  | { readonly code: 'unknown_model'; readonly name: string; readonly known?: readonly string[] }
  | { readonly code: 'too_deep'; readonly depth: number }
  | { readonly code: 'not_allowed'; readonly what: string }
  | { readonly code: 'size_bounds'; readonly min: number; readonly max: number; readonly cap: number }
  | { readonly code: 'limit_bounds'; readonly limit: string }
  | { readonly code: 'status_again'; readonly allowed: number }
  | { readonly code: 'empty' }
  | { readonly code: 'gone'; readonly what: Gone }
  | { readonly code: 'downstream_unfinished'; readonly names: readonly string[] }
  | { readonly code: 'fenced'; readonly attempt: number; readonly current: number }
  | { readonly code: 'wrong_state'; readonly what: string; readonly is: string };

/** What is not there, or not any more. */
export type Gone = 'session' | 'agent' | 'run' | 'call' | 'ask' | 'message' | 'report' | 'change' | 'undo';

export type Decision = Result<readonly TeamEvent[], Refusal>;

/** `decide(state, command, facts)`: pure; answers events or a refusal, changes nothing. */
export type Decide<C> = (state: State, command: C, facts: Facts) => Decision;

export type Command = TeamCommand | PersonCommand | RunCommand;

/** What a model does through a team tool. `by` is always the caller. */
export type TeamCommand =
  | {
      readonly type: 'team_add';
      readonly by: AgentId;
      readonly name: string;
      readonly role: string;
      readonly brief: Text;
      readonly goal: Text | null;
      readonly expert: string | null;
      readonly model: string | null;
      readonly lead: boolean;
      /** plan (C-12): names of members whose delivery it needs. */
      readonly dependsOn?: readonly string[];
    }
  | { readonly type: 'team_send'; readonly by: AgentId; readonly to: readonly string[]; readonly text: Text }
  | { readonly type: 'team_stop'; readonly by: AgentId; readonly name: string }
  /** Changes nothing, yet is refused like the others and counted (X7). */
  | { readonly type: 'team_read'; readonly by: AgentId; readonly since: number }
  /** The caller's own list, whole. */
  | { readonly type: 'todo'; readonly by: AgentId; readonly items: readonly TodoItem[] }
  /** L-38: a message to the manager before the final reply. */
  | { readonly type: 'report'; readonly by: AgentId; readonly text: Text }
  /** An isolated helper is made, given its task and started; in the foreground the call waits for its final reply. */
  | {
      readonly type: 'task';
      readonly by: AgentId;
      readonly callId: CallId;
      /** What it does, in a few words. */
      readonly does: string;
      readonly brief: Text;
      readonly expert: string | null;
      readonly model: string | null;
      readonly background: boolean;
    }
  /** Words for a helper of the caller's in the background: it goes on with them, or is started again (L-31). */
  | { readonly type: 'helper_send'; readonly by: AgentId; readonly name: string; readonly text: Text }
  | { readonly type: 'helper_stop'; readonly by: AgentId; readonly name: string }
  /** O (delegate, route): an instruction to a member inside a call; `thread` continues an earlier sub-task. */
  | {
      readonly type: 'delegate';
      readonly by: AgentId;
      readonly callId: CallId;
      readonly name: string;
      readonly instruction: Text;
      readonly thread: TaskId | null;
    };

/** What came of a team command, for the façade to word. */
export type TeamAnswer = Result<TeamFact, Refusal>;

export type TeamFact =
  | {
      readonly type: 'added';
      readonly name: string;
      readonly size: number;
      readonly waiting: boolean;
      /** Another member with the same role that has work: perhaps it was only thought to be lost (fault 20). */
      readonly alike?: string;
    }
  | { readonly type: 'sent'; readonly to: readonly string[] }
  | { readonly type: 'stopped'; readonly names: readonly string[] }
  | { readonly type: 'reported'; readonly to: string }
  | { readonly type: 'listed' }
  | {
      readonly type: 'helper_started';
      readonly name: string;
      readonly agentId: AgentId;
      readonly background: boolean;
    }
  | { readonly type: 'helper_told'; readonly name: string; readonly restarted: boolean }
  | { readonly type: 'helper_stopped'; readonly name: string }
  | { readonly type: 'delegated'; readonly taskId: TaskId }
  | { readonly type: 'room'; readonly view: RoomView };

/** What `team_read` shows (L-64, L-65); message texts are read from their blobs by the runtime. */
export interface RoomView {
  /** When it was looked at: without it nobody can tell how long ago something was. */
  readonly at: number;
  readonly tree: readonly {
    readonly name: string;
    readonly depth: number;
    readonly role: string;
    readonly manager: string | null;
    readonly state: 'working' | 'waiting' | 'finished' | 'idle';
    /** It is in a turn that waits for the person's answer: asking it how it is won't help. */
    readonly asksPerson: boolean;
    readonly model: string;
    readonly lastActivityAt: number;
  }[];
  readonly messages: readonly {
    readonly n: number;
    readonly from: string;
    readonly to: readonly string[];
    readonly report: boolean;
    readonly at: number;
    readonly text: string;
    /** Of a report: how the turn ended if not by the model stopping (L-60). */
    readonly ended: Ended | null;
  }[];
  /** Number to continue after, or null when all was shown. */
  readonly nextSince: number | null;
}

/** Acts of the person. */
export type PersonCommand =
  | {
      readonly type: 'create_session';
      readonly id: SessionId;
      readonly style: Style;
      readonly kind: 'team' | 'solo';
      readonly title: string;
      readonly model: ModelId;
      readonly settings: SessionSettings;
    }
  | { readonly type: 'say'; readonly text: Text }
  | { readonly type: 'say_to'; readonly to: string; readonly text: Text }
  | { readonly type: 'stop'; readonly name: string }
  | { readonly type: 'stop_all' }
  /** Everything of the session ends; what is left of it is then removed. */
  | { readonly type: 'delete_session' }
  | {
      readonly type: 'answer_ask';
      readonly askId: AskId;
      readonly argsHash: string | null;
      readonly answer: AskAnswer;
    }
  | { readonly type: 'set_size'; readonly size: SizeSetting }
  | { readonly type: 'set_mode'; readonly mode: PermissionMode }
  | { readonly type: 'set_limits'; readonly limits: SessionSettings['limits'] }
  | { readonly type: 'rename'; readonly title: string }
  /** Puts a session away, or takes it back. */
  | { readonly type: 'archive'; readonly archived: boolean }
  | { readonly type: 'pause'; readonly paused: boolean }
  /** A turn that did not end by itself goes on, on another model if one is named. */
  | { readonly type: 'retry'; readonly runId: RunId; readonly model: ModelId | null }
  /** The lead is told of stops and settings at once. */
  | { readonly type: 'tell_lead' }
  | { readonly type: 'set_model'; readonly agent: AgentId; readonly model: ModelId }
  /** Interrupted runs go on, or end as `error — interrupted by a restart` and are reported. */
  | { readonly type: 'resume'; readonly go: boolean; readonly runs: readonly RunId[] | null }
  /** The report is in order: nothing more, and no agent is told. With it those before it. */
  | { readonly type: 'accept'; readonly outcome: OutcomeId }
  /** The report goes back to its member with the person's words. */
  | { readonly type: 'request_changes'; readonly outcome: OutcomeId; readonly text: Text }
  /** What is about to be written, all of it worked out. */
  | {
      readonly type: 'begin_undo';
      readonly by: Principal;
      readonly of: Undo['of'];
      readonly units: readonly Omit<UndoUnit, 'phase'>[];
    }
  | {
      readonly type: 'end_undo';
      readonly undo: UndoId;
      readonly unit: number;
      readonly outcome: 'done' | 'not_done' | 'unknown';
    };

/** Findings of the scheduler and of the agent loop. */
export type RunCommand =
  | { readonly type: 'start_run'; readonly runId: RunId }
  /** Takes what waits for the agent (brief, notes, mail, host words) into the transcript as one user message. */
  | { readonly type: 'take_input'; readonly runId: RunId; readonly host: Text | null }
  | {
      readonly type: 'record_step';
      readonly runId: RunId;
      readonly text: Text;
      readonly reasoning: Text | null;
      readonly calls: readonly { readonly wireId: string; readonly tool: string; readonly args: Text }[];
      readonly usage: StepUsage;
    }
  | {
      readonly type: 'record_abort';
      readonly runId: RunId;
      readonly text: Text;
      readonly usage: StepUsage;
      readonly fault: string | null;
    }
  | (Omit<CompactedEntry, 'type' | 'at'> & {
      readonly type: 'record_compaction';
      readonly runId: RunId;
      readonly usage: StepUsage | null;
    })
  | {
      readonly type: 'permit_call';
      readonly callId: CallId;
      readonly by: PermittedBy;
      readonly argsHash: string | null;
    }
  /** Opens an ask and suspends the call on it, as one decision. */
  | {
      readonly type: 'ask_person';
      readonly callId: CallId;
      readonly about: AskAbout;
      readonly argsHash: string | null;
    }
  | { readonly type: 'suspend_call'; readonly callId: CallId; readonly on: Suspension }
  | {
      readonly type: 'ask_limit';
      readonly runId: RunId;
      readonly about: Extract<AskAbout, { type: 'limit' }>;
    }
  | { readonly type: 'intend_effect'; readonly callId: CallId; readonly intent: EffectIntent }
  | {
      readonly type: 'end_effect';
      readonly callId: CallId;
      readonly index: number;
      readonly outcome: 'done' | 'not_done' | 'unknown';
      /** A file was changed. */
      readonly change: Omit<Change, 'id' | 'at' | 'undone' | 'agentId' | 'runId' | 'callId'> | null;
    }
  /** What a command of this call changed, as far as it was found out; also after the call has its result. */
  | {
      readonly type: 'record_changes';
      readonly callId: CallId;
      readonly changes: readonly Omit<Change, 'id' | 'at' | 'undone' | 'agentId' | 'runId' | 'callId'>[];
    }
  | {
      readonly type: 'finish_call';
      readonly callId: CallId;
      readonly result: CallResult;
      readonly statusCall: boolean;
    }
  /** At least one call of the step is suspended; the others have settled or wait for their turn behind it. */
  | { readonly type: 'park_run'; readonly runId: RunId }
  /** Its step is over and the person has paused the session. */
  | { readonly type: 'pause_run'; readonly runId: RunId }
  | { readonly type: 'continue_run'; readonly runId: RunId }
  | { readonly type: 'interrupt_run'; readonly runId: RunId }
  | {
      readonly type: 'end_run';
      readonly runId: RunId;
      readonly reason: FinishReason;
      readonly detail: string | null;
      /** The final reply, or the last words. */
      readonly text: Text;
      readonly paths: readonly string[];
    }
  /** A command in the background is about to be let go; its group exists. */
  | {
      readonly type: 'start_job';
      readonly callId: CallId;
      readonly command: string;
      readonly cwd: string;
      readonly pgid: number;
      readonly processStart: string;
    }
  | { readonly type: 'stop_job'; readonly by: AgentId; readonly jobId: JobId }
  /** The host closes. */
  | { readonly type: 'close_jobs' }
  | {
      readonly type: 'end_job';
      readonly jobId: JobId;
      readonly end: JobEnd;
      /** What its agent is told. */
      readonly words: Text;
      /** Whether that may start a turn of an idle lead. */
      readonly wake: boolean;
    }
  /** dispatch: the coordinator puts a delivery back, or gives it to another member. */
  | { readonly type: 'return_delivery'; readonly deliveryId: DeliveryId; readonly reason: string }
  | {
      readonly type: 'record_result';
      readonly deliveryId: DeliveryId;
      readonly attempt: number;
      readonly runId: RunId;
      readonly text: Text;
    }
  /** plan (C-65..C-67). */
  | { readonly type: 'revise_task'; readonly taskId: TaskId; readonly brief: Text }
  | { readonly type: 'drop_message'; readonly messageId: MessageId; readonly reason: 'reassigned' };
