import type { Table } from '../base/table';
import type { Change } from './changeRecord';
import type {
  AgentId,
  AskId,
  BlobId,
  CallId,
  DeliveryId,
  JobId,
  MessageId,
  ModelId,
  NoteId,
  OutcomeId,
  RunId,
  SessionId,
  StepId,
  TaskId,
  TeamId,
} from './ids';
import type { Principal } from './principal';
import type { Text } from './text';
import type { Undo } from './undoRecord';

export type { Change } from './changeRecord';
export type { Principal } from './principal';

/**
 * The reduced state of one session. Plain JSON. Everything in it comes from events; what can be derived (who is a
 * manager, the size, slots in use, what is unread, whether a task is ready) is derived in `src/team`, never stored.
 * `open` is the one index: what is not finished, so that nobody walks the whole history.
 */
export interface State {
  /** Sequence number of the last event applied. */
  readonly seq: number;
  /** null until `session.created`. */
  readonly session: Session | null;
  readonly teams: Table<Team>;
  readonly agents: Table<Agent>;
  readonly runs: Table<Run>;
  readonly steps: Table<Step>;
  readonly calls: Table<Call>;
  readonly messages: Table<Message>;
  readonly deliveries: Table<Delivery>;
  readonly tasks: Table<Task>;
  readonly outcomes: Table<Outcome>;
  readonly changes: Table<Change>;
  readonly asks: Table<Ask>;
  readonly notes: Table<Note>;
  readonly jobs: Table<Job>;
  readonly undos: Table<Undo>;
  readonly open: OpenIndex;
}

export interface OpenIndex {
  /** Runs that have not ended, oldest first. */
  readonly runs: readonly RunId[];
  /** Deliveries that are pending or delivered (not yet processed or dropped), oldest first. */
  readonly deliveries: readonly DeliveryId[];
  readonly asks: readonly AskId[];
  /** Notes not yet told. */
  readonly notes: readonly NoteId[];
  /** Commands in the background that have not ended, oldest first. */
  readonly jobs: readonly JobId[];
}

export type Style = 'room' | 'plan' | 'dispatch' | 'standard' | 'router' | 'orchestrator';
export type PermissionMode = 'ask' | 'edits' | 'auto';

export interface Session {
  readonly id: SessionId;
  readonly style: Style;
  /** A solo session is a chat with one agent: no team tools. */
  readonly kind: 'team' | 'solo';
  readonly title: string;
  readonly createdAt: number;
  /** Whether a team is offered: fixed for as long as the system prompt is (L-17, L-20). */
  readonly offered: boolean;
  readonly settings: SessionSettings;
  readonly paused: boolean;
  /** Put away by the person: not listed until they want it back. */
  readonly archived?: boolean;
  /** Number of the newest room message; they count from 1 (L-10). */
  readonly lastRoomNumber: number;
  /** Runs of members started since the beginning: the quantity that O's cap counts (X22); a lead's turns don't. */
  readonly runsStarted: number;
  /** Executions that ended in an error, refusals not counted (X24). */
  readonly executionErrors: number;
}

export interface SizeSetting {
  readonly min: number;
  readonly max: number;
}

export interface SessionSettings {
  readonly size: SizeSetting;
  readonly mode: PermissionMode;
  readonly limits: Limits;
}

/** null means "no limit" and is only ever set explicitly by the person. */
export interface Limits {
  /** Model calls per run. */
  readonly steps: number | null;
  /** Active milliseconds per run: waiting for the person doesn't count. */
  readonly activeMs: number | null;
  /** Tokens per session, input and output. */
  readonly tokens: number | null;
  /** Millionths of a USD per session. */
  readonly microUsd: number | null;
}

export interface Team {
  readonly id: TeamId;
  readonly status: 'open' | 'dissolved';
  readonly createdAt: number;
}

export interface Usage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** null once any of it had no known price. */
  readonly microUsd: number | null;
  readonly steps: number;
  readonly activeMs: number;
}

export interface Agent {
  readonly id: AgentId;
  readonly name: string;
  readonly kind: 'lead' | 'member' | 'helper';
  readonly teamId: TeamId;
  /** The agent that added it; null for the lead. */
  readonly managerId: AgentId | null;
  readonly role: string;
  /** What it was told the team is for; for the lead, the last goal it gave (L-41). */
  readonly goal: Text | null;
  /** The expert definition it was made from: `general`, `explore`, or a person's own. */
  readonly expert: string;
  readonly model: ModelId;
  readonly mode: PermissionMode;
  readonly mayLead: boolean;
  /** Names of the tools it has; fixed when it is made (L-37). */
  readonly tools: readonly string[];
  /** System prompt, built once (L-39). */
  readonly system: Text;
  /** First user message of a member (L-40); null for the lead. */
  readonly brief: Text | null;
  readonly addedAt: number;
  /** Set when it left the team: a stopped member's name is free again and its rows keep its id (X1). */
  readonly left: {
    readonly at: number;
    readonly by: Principal;
    readonly reason: 'stopped' | 'dissolved' | 'ended';
  } | null;
  readonly runs: readonly RunId[];
  readonly usage: Usage;
  readonly taskId: TaskId | null;
  /** Its own list of what is to be done; absent: it never made one. */
  readonly todo?: readonly TodoItem[];
  /** Of a helper: the call that asked for it. In the background it is a job of its caller's, not the call's result. */
  readonly helper?: { readonly callId: CallId; readonly background: boolean };
}

export interface TodoItem {
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'done';
}

export type FinishReason =
  | 'final'
  | 'delivered'
  | 'waiting'
  | 'question'
  | 'stopped'
  | 'steps'
  | 'budget'
  | 'error';

/** `pause`: the person has paused the session, and its step was over. */
export type ParkedOn = 'permission' | 'question' | 'limit' | 'collect' | 'delegate' | 'helper' | 'pause';

export type RunPhase =
  /** It has work and waits for a gate: start policy, dependency, slot. `since` orders the waiting (L-86). */
  | { readonly status: 'queued'; readonly since: number }
  /** `since`: when it last began to be active. */
  | { readonly status: 'running'; readonly since: number }
  /** It has an open suspended call, or waits for a limit to be raised. */
  | {
      readonly status: 'parked';
      readonly since: number;
      readonly on: ParkedOn;
      readonly slot: 'kept' | 'given_back';
    }
  /** It was running when the host ended. `since`: its place in the queue; `at`: when that was found. */
  | { readonly status: 'interrupted'; readonly since: number; readonly at: number }
  | {
      readonly status: 'ended';
      readonly at: number;
      readonly reason: FinishReason;
      /** For `error` and limits: what happened, for the manager and the person. */
      readonly detail: string | null;
      /** The last words: final reply, or what had been said when it ended. */
      readonly text: Text | null;
    };

export type RunCause = 'user' | 'brief' | 'mail' | 'call' | 'retry';

export interface Run {
  readonly id: RunId;
  readonly agentId: AgentId;
  readonly cause: RunCause;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly phase: RunPhase;
  /** May not start before this run has ended (X2: `after_turn`, X3: `after_sender_turn`). */
  readonly startAfter: RunId | null;
  readonly taskId: TaskId | null;
  /** The model it runs on, whose slot it holds. */
  readonly model: ModelId;
  readonly entries: readonly RunEntry[];
  readonly steps: number;
  /** Active time so far, without the stretch that is going on now. */
  readonly activeMs: number;
  /** Calls of status-class tools in this run, for `status_per_run` (X7). */
  readonly statusCalls: number;
  readonly resumedTimes: number;
}

/** The transcript of a run, in order. */
export type RunEntry =
  /** One user message, made of parts in this order. */
  | { readonly type: 'input'; readonly at: number; readonly parts: readonly InputPart[] }
  | { readonly type: 'step'; readonly step: StepId }
  | CompactedEntry;

/** From here on the model sees what came earlier shortened. */
export interface CompactedEntry {
  readonly type: 'compacted';
  readonly at: number;
  /** The user message that stands for all that came before `from`; null: nothing was left out. */
  readonly text: Text | null;
  /** The oldest entry of the context that is still seen; null with `text`: none of those until here is. */
  readonly from: EntryRef | null;
  /** Results of which only the beginning is still seen. */
  readonly cut: readonly CutResult[];
  /** Why there is no summary of what was left out; null: there is one, or nothing was left out. */
  readonly fault: string | null;
}

export interface EntryRef {
  readonly runId: RunId;
  /** Position in the run's entries. */
  readonly entry: number;
}

export interface CutResult {
  readonly callId: CallId;
  /** Characters that are still seen. */
  readonly chars: number;
}

export type InputPart =
  | { readonly type: 'brief'; readonly agentId: AgentId }
  | { readonly type: 'notes'; readonly notes: readonly NoteId[] }
  | { readonly type: 'deliveries'; readonly deliveries: readonly DeliveryId[] }
  /** What the host has to say, worded when it happened: a resumption, an unknown outcome. */
  | { readonly type: 'host'; readonly text: Text };

export interface StepUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
  readonly microUsd: number | null;
  readonly latencyMs: number;
}

/** One answer of the model. */
export interface Step {
  readonly id: StepId;
  readonly runId: RunId;
  readonly agentId: AgentId;
  readonly at: number;
  readonly model: ModelId;
  /** `aborted`: partial text kept, flagged; its calls were never acted on. */
  readonly status: 'answered' | 'aborted' | 'failed';
  readonly text: Text;
  readonly reasoning: Text | null;
  readonly calls: readonly CallId[];
  readonly usage: StepUsage;
  readonly fault: string | null;
}

export type Suspension =
  | { readonly type: 'permission'; readonly ask: AskId }
  | { readonly type: 'question'; readonly ask: AskId }
  | { readonly type: 'collect'; readonly of: readonly MessageId[]; readonly deadline: number }
  | { readonly type: 'delegate'; readonly taskId: TaskId; readonly deadline: number }
  | { readonly type: 'helper'; readonly agentId: AgentId };

export type CallPhase =
  | { readonly status: 'asked' }
  | { readonly status: 'permitted'; readonly at: number; readonly by: PermittedBy }
  | { readonly status: 'suspended'; readonly since: number; readonly on: Suspension }
  | { readonly status: 'finished'; readonly at: number; readonly result: CallResult };

export type PermittedBy = 'class' | 'mode' | 'rule' | 'reading_command' | 'person';

export interface CallResult {
  /** `unknown`: it had begun when the host ended and nobody knows how far it got. */
  readonly status: 'ok' | 'error' | 'refused' | 'denied' | 'stopped' | 'unknown';
  /** What the model reads. */
  readonly text: Text;
  /** The uncut result, where `text` had to be cut. */
  readonly whole?: Text;
}

/** One tool call of a model. Exactly one result each. */
export interface Call {
  readonly id: CallId;
  readonly runId: RunId;
  readonly stepId: StepId;
  readonly agentId: AgentId;
  readonly wireId: string;
  readonly tool: string;
  readonly args: Text;
  readonly phase: CallPhase;
  readonly effects: readonly Effect[];
  /** Once denied by the person, the same call in the same run gets the denial without asking. */
  readonly argsHash: string | null;
}

/** A side effect: the intent is durable before it happens, the outcome after. */
export interface Effect {
  readonly intent: EffectIntent;
  readonly outcome: 'open' | 'done' | 'not_done' | 'unknown';
}

export type EffectIntent =
  /** What the call did to the team, recorded with the fact itself (`TeamEvent.call`). */
  | { readonly type: 'team' }
  | {
      readonly type: 'write';
      readonly path: string;
      readonly kind: 'create' | 'modify' | 'delete';
      readonly before: BlobId | null;
      readonly after: BlobId | null;
      readonly beforeHash: string | null;
      readonly afterHash: string | null;
    }
  /** A folder as such; its files are writes. */
  | { readonly type: 'folder'; readonly path: string; readonly act: 'make' | 'remove' }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly cwd: string;
      readonly pgid: number;
      readonly startedAt: string;
    };

export type MessageKind =
  /** The person to the lead, and the lead's answer: not in the room, without numbers (L-62). */
  | 'user'
  | 'answer'
  /** In the room. */
  | 'message'
  | 'report'
  /** The person to one member; in the room, from `person`. */
  | 'person'
  /** The host to an agent: a command of its own in the background has ended. Not in the room. */
  | 'job'
  /** Between a caller and its helper in the background, not in the room: further words for it, and what came of it. */
  | 'instruction'
  | 'result';

export interface Message {
  readonly id: MessageId;
  /** Number in the room from 1; null outside the room. */
  readonly n: number | null;
  readonly from: Principal;
  /** The sender's name at that time. */
  readonly fromName: string;
  /** As addressed: names in the order given, or ['all'] (L-51). */
  readonly to: readonly string[];
  readonly deliveries: readonly DeliveryId[];
  readonly kind: MessageKind;
  readonly text: Text;
  readonly at: number;
  readonly runId: RunId | null;
  readonly thread: TaskId | null;
  /** Hit by a guardrail: in nobody's context (O-24). */
  readonly flagged: boolean;
  /** Of a report or an answer: how the turn ended if not by the model stopping (L-60); worded where it is shown. */
  readonly ended: Ended | null;
}

export interface Ended {
  readonly reason: Extract<FinishReason, 'steps' | 'budget' | 'error'>;
  readonly detail: string | null;
}

export type DeliveryPhase =
  | { readonly status: 'pending' }
  | { readonly status: 'delivered'; readonly at: number; readonly runId: RunId }
  | { readonly status: 'processed'; readonly at: number; readonly runId: RunId }
  | {
      readonly status: 'dropped';
      readonly at: number;
      readonly reason: 'stopped' | 'dissolved' | 'reassigned';
    };

export interface Delivery {
  readonly id: DeliveryId;
  readonly messageId: MessageId;
  readonly to: AgentId;
  readonly sentAt: number;
  readonly phase: DeliveryPhase;
  /** Counts from 1; a rollback raises it, and results of an older attempt are fenced. */
  readonly attempt: number;
  /** Any time it stepped back, with why. */
  readonly rollbacks: readonly { readonly at: number; readonly reason: string }[];
}

export type TaskStatus = 'open' | 'delivered' | 'stale' | 'failed' | 'cancelled';

/** One logical piece of work of one agent (C-29). "Ready" and "running" are derived. */
export interface Task {
  readonly id: TaskId;
  readonly agentId: AgentId;
  readonly brief: Text;
  readonly dependsOn: readonly TaskId[];
  readonly status: TaskStatus;
  readonly changedAt: number;
  readonly outcomeId: OutcomeId | null;
  /** Why it failed or was cancelled; kept for ever (C-60). */
  readonly evidence: Text | null;
}

export interface Outcome {
  readonly id: OutcomeId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly taskId: TaskId | null;
  readonly messageId: MessageId | null;
  readonly kind: 'result' | 'question' | 'failure';
  readonly summary: Text;
  readonly paths: readonly string[];
  readonly cause: FinishReason;
  readonly at: number;
  readonly accepted: { readonly at: number } | null;
  /** The person asked for changes, by this message. */
  readonly returned?: { readonly at: number; readonly messageId: MessageId } | null;
}

/** What waits for the person: the approval inbox. */
export interface Ask {
  readonly id: AskId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly callId: CallId | null;
  readonly at: number;
  readonly about: AskAbout;
  readonly phase: AskPhase;
}

export type AskAbout =
  | {
      readonly type: 'permission';
      readonly tool: string;
      /** SHA-256 of tool and canonical arguments: an answer counts only for exactly these (A22, A23). */
      readonly argsHash: string;
      readonly why: AskWhy;
      readonly preview: AskPreview;
    }
  | { readonly type: 'question'; readonly text: Text; readonly choices: readonly string[] }
  | {
      readonly type: 'limit';
      readonly limit: 'tokens' | 'money';
      readonly used: number;
      readonly allowed: number;
    };

/** Why a permission is asked for; worded where it is shown. */
export type AskWhy =
  | { readonly code: 'mode' }
  | { readonly code: 'rule' }
  | { readonly code: 'protected_path'; readonly path: string }
  | { readonly code: 'secret_path'; readonly path: string }
  /** The editor would fetch this address as soon as it shows the file (A20). */
  | { readonly code: 'remote_schema'; readonly path: string; readonly url: string }
  /** It was allowed before, but an agent has changed since what it runs (A15). */
  | { readonly code: 'changed_since'; readonly path: string }
  | { readonly code: 'unparsable_command'; readonly detail: string };

export type AskPreview =
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly before: Text | null;
      readonly after: Text | null;
    }
  | { readonly type: 'command'; readonly command: string; readonly cwd: string }
  | { readonly type: 'paths'; readonly paths: readonly string[] }
  | { readonly type: 'none' };

export type AskAnswer =
  | { readonly type: 'allow'; readonly scope: 'once' | 'run' }
  | { readonly type: 'deny'; readonly words: string }
  | { readonly type: 'reply'; readonly text: string }
  /** A limit raised to this value; null: no limit. */
  | { readonly type: 'raise'; readonly to: number | null }
  | { readonly type: 'end' };

export type AskPhase =
  | { readonly status: 'open' }
  | { readonly status: 'answered'; readonly at: number; readonly answer: AskAnswer }
  /** Its run was stopped or ended. */
  | { readonly status: 'withdrawn'; readonly at: number };

/** What the lead is told of settings and stops with its next user message (L-95, L-96). */
export interface Note {
  readonly id: NoteId;
  readonly at: number;
  readonly about:
    | { readonly type: 'size'; readonly size: SizeSetting }
    | { readonly type: 'stopped'; readonly names: readonly string[] };
  readonly toldIn: RunId | null;
  /** The person wants the lead to know now, not with their next words. */
  readonly pressing?: boolean;
}

/** A command in the background. That it was started is its intent: durable before it runs. */
export interface Job {
  readonly id: JobId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly callId: CallId;
  readonly command: string;
  readonly cwd: string;
  /** Its process group, by which a later host finds what is left of it. */
  readonly pgid: number;
  readonly processStart: string;
  readonly at: number;
  readonly phase: JobPhase;
}

export type JobPhase =
  | { readonly status: 'running' }
  /** It was decided that it ends; its processes may still be there. */
  | { readonly status: 'stopping'; readonly at: number; readonly by: Principal; readonly why: JobStop }
  | {
      readonly status: 'ended';
      readonly at: number;
      readonly end: JobEnd;
      readonly stopped: { readonly by: Principal; readonly why: JobStop } | null;
    };

/** `asked`: by `job_stop`; `turn_ended`: with its member's turn (L-48); `agent_stopped`: with its agent; `closed`: with the host. */
export type JobStop = 'asked' | 'turn_ended' | 'agent_stopped' | 'closed';

export interface JobEnd {
  /** `unknown`: its host died while it ran. `not_begun`: it was stopped before it began. */
  readonly how: 'exited' | 'timed_out' | 'stopped' | 'not_begun' | 'unknown';
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What is kept of its output, and how many characters came before that. */
  readonly output: Text;
  readonly from: number;
  /** More about how it ended. */
  readonly detail: string | null;
}
