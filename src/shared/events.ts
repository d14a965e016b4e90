import type {
  AgentId,
  AskId,
  CallId,
  ChangeId,
  DeliveryId,
  JobId,
  MessageId,
  ModelId,
  NoteId,
  OutcomeId,
  RunId,
  StepId,
  TaskId,
  TeamId,
  UndoId,
} from './ids';
import type {
  Agent,
  Ask,
  AskAnswer,
  CallResult,
  Change,
  CompactedEntry,
  EffectIntent,
  FinishReason,
  InputPart,
  Job,
  JobEnd,
  JobStop,
  Message,
  Note,
  Outcome,
  ParkedOn,
  PermissionMode,
  PermittedBy,
  Principal,
  RunCause,
  Session,
  SessionSettings,
  StepUsage,
  Suspension,
  Task,
  TaskStatus,
  TodoItem,
} from './state';
import type { Text } from './text';
import type { Undo, UndoUnit } from './undoRecord';

/**
 * Everything that happens in a session. Time, ids and every consequence are inside: the reducer never consults a
 * clock, a policy or a setting. Ids are those that the state will give to the new item (its table's size).
 */
export type TeamEvent = {
  readonly at: number;
  /**
   * Set on the first event of what a tool call did to the team: the call's effect and the fact are one record, so that
   * a crash before `call.finished` can't repeat a message or an addition.
   */
  readonly call?: CallId;
} & EventBody;

export type EventBody =
  | SessionEvent
  | AgentEvent
  | RunEvent
  | StepEvent
  | CallEvent
  | RoomEvent
  | TaskEvent
  | ChangeEvent
  | UndoEvent
  | AskEvent
  | JobEvent;

export type EventType = TeamEvent['type'];

export type SessionEvent =
  | {
      readonly type: 'session.created';
      readonly session: Omit<Session, 'lastRoomNumber' | 'runsStarted' | 'executionErrors' | 'paused'>;
    }
  | { readonly type: 'session.renamed'; readonly title: string }
  | { readonly type: 'session.paused'; readonly paused: boolean }
  | { readonly type: 'session.archived'; readonly archived: boolean }
  | { readonly type: 'settings.changed'; readonly settings: SessionSettings; readonly by: Principal }
  /** A new prompt and tool list of the lead was made (L-20). */
  | { readonly type: 'session.offered'; readonly offered: boolean }
  | { readonly type: 'note.added'; readonly note: Omit<Note, 'toldIn' | 'at'> }
  /** The lead is to be told of these at once. */
  | { readonly type: 'notes.pressed'; readonly notes: readonly NoteId[] }
  | { readonly type: 'note.told'; readonly noteId: NoteId; readonly runId: RunId };

export type AgentEvent =
  | { readonly type: 'team.created'; readonly teamId: TeamId }
  | { readonly type: 'team.dissolved'; readonly teamId: TeamId }
  | { readonly type: 'agent.added'; readonly agent: Omit<Agent, 'addedAt' | 'left' | 'runs' | 'usage'> }
  | {
      readonly type: 'agent.left';
      readonly agentId: AgentId;
      readonly by: Principal;
      readonly reason: 'stopped' | 'dissolved' | 'ended';
    }
  /** A helper whose turn had ended is started again. */
  | { readonly type: 'agent.returned'; readonly agentId: AgentId }
  /** The agent's whole list, in place of the one before. */
  | { readonly type: 'agent.todo'; readonly agentId: AgentId; readonly items: readonly TodoItem[] }
  | { readonly type: 'agent.goal'; readonly agentId: AgentId; readonly goal: Text }
  | { readonly type: 'agent.model'; readonly agentId: AgentId; readonly model: ModelId }
  | { readonly type: 'agent.mode'; readonly agentId: AgentId; readonly mode: PermissionMode }
  /** A model switch makes a new prompt and a new list (L-20). */
  | {
      readonly type: 'agent.rebuilt';
      readonly agentId: AgentId;
      readonly system: Text;
      readonly tools: readonly string[];
    };

export type RunEvent =
  | {
      readonly type: 'run.queued';
      readonly runId: RunId;
      readonly agentId: AgentId;
      readonly cause: RunCause;
      readonly startAfter: RunId | null;
      readonly taskId: TaskId | null;
      readonly model: ModelId;
    }
  | { readonly type: 'run.started'; readonly runId: RunId }
  | {
      readonly type: 'run.parked';
      readonly runId: RunId;
      readonly on: ParkedOn;
      readonly slot: 'kept' | 'given_back';
    }
  /** A parked or interrupted run goes on from its stored steps. `resumed`: after an interruption. */
  | { readonly type: 'run.continued'; readonly runId: RunId; readonly resumed: boolean }
  | { readonly type: 'run.interrupted'; readonly runId: RunId }
  /** The person lets an interrupted run go on: it waits for its slot, in the place it had. */
  | { readonly type: 'run.requeued'; readonly runId: RunId }
  | {
      readonly type: 'run.ended';
      readonly runId: RunId;
      readonly reason: FinishReason;
      readonly detail: string | null;
      readonly text: Text | null;
    };

export type StepEvent =
  /** Mail, notes and the like became one user message of the run's transcript. */
  | { readonly type: 'input.taken'; readonly runId: RunId; readonly parts: readonly InputPart[] }
  | {
      readonly type: 'step.answered';
      readonly stepId: StepId;
      readonly runId: RunId;
      readonly text: Text;
      readonly reasoning: Text | null;
      readonly calls: readonly {
        readonly callId: CallId;
        readonly wireId: string;
        readonly tool: string;
        readonly args: Text;
      }[];
      readonly usage: StepUsage;
    }
  /** The stream was aborted or failed for good: what had come is kept, its calls are not. */
  | {
      readonly type: 'step.aborted';
      readonly stepId: StepId;
      readonly runId: RunId;
      readonly text: Text;
      readonly usage: StepUsage;
      /** null: aborted by a stop; else the fault, worded. */
      readonly fault: string | null;
    }
  /** What the agent had done was put into words, or shortened, since it did not fit its model's window any more. */
  | (Omit<CompactedEntry, 'type' | 'at'> & {
      readonly type: 'context.compacted';
      readonly runId: RunId;
      /** Of the model call that made the summary; null: none was made. */
      readonly usage: StepUsage | null;
    });

export type CallEvent =
  | {
      readonly type: 'call.permitted';
      readonly callId: CallId;
      readonly by: PermittedBy;
      readonly argsHash: string | null;
    }
  | {
      readonly type: 'call.suspended';
      readonly callId: CallId;
      readonly on: Suspension;
      readonly argsHash: string | null;
    }
  | { readonly type: 'effect.intended'; readonly callId: CallId; readonly intent: EffectIntent }
  | {
      readonly type: 'effect.ended';
      readonly callId: CallId;
      readonly index: number;
      readonly outcome: 'done' | 'not_done' | 'unknown';
    }
  | {
      readonly type: 'call.finished';
      readonly callId: CallId;
      readonly result: CallResult;
      readonly statusCall: boolean;
    };

export type RoomEvent =
  /** Makes one pending delivery per recipient, in order; their ids follow the deliveries table. */
  | {
      readonly type: 'message.posted';
      readonly message: Omit<Message, 'at' | 'deliveries'>;
      readonly recipients: readonly AgentId[];
    }
  | { readonly type: 'delivery.delivered'; readonly deliveryId: DeliveryId; readonly runId: RunId }
  | { readonly type: 'delivery.processed'; readonly deliveryId: DeliveryId; readonly runId: RunId }
  | {
      readonly type: 'delivery.dropped';
      readonly deliveryId: DeliveryId;
      readonly reason: 'stopped' | 'dissolved' | 'reassigned';
    }
  /** Back to pending for another attempt (A-27, X14). */
  | { readonly type: 'delivery.returned'; readonly deliveryId: DeliveryId; readonly reason: string };

export type TaskEvent =
  | {
      readonly type: 'task.created';
      readonly task: Omit<Task, 'status' | 'changedAt' | 'outcomeId' | 'evidence'>;
    }
  | {
      readonly type: 'task.changed';
      readonly taskId: TaskId;
      readonly status: TaskStatus;
      /** Set: a new brief (revision). */
      readonly brief: Text | null;
      readonly evidence: Text | null;
    }
  | { readonly type: 'outcome.recorded'; readonly outcome: Omit<Outcome, 'at' | 'accepted'> }
  | { readonly type: 'outcome.accepted'; readonly outcomeId: OutcomeId }
  /** The person asked for changes: it waits for the next report. */
  | { readonly type: 'outcome.returned'; readonly outcomeId: OutcomeId; readonly messageId: MessageId };

export type ChangeEvent =
  | { readonly type: 'change.made'; readonly change: Omit<Change, 'at' | 'undone'> }
  | { readonly type: 'change.undone'; readonly changeId: ChangeId; readonly by: Principal }
  /** An undo was undone. */
  | { readonly type: 'change.redone'; readonly changeId: ChangeId };

export type UndoEvent =
  /** The intent: durable before the first file is written. */
  | {
      readonly type: 'undo.begun';
      readonly undo: Omit<Undo, 'at' | 'units'> & { readonly units: readonly Omit<UndoUnit, 'phase'>[] };
    }
  | {
      readonly type: 'undo.unit_ended';
      readonly undoId: UndoId;
      readonly unit: number;
      readonly outcome: 'done' | 'not_done' | 'unknown';
    };

export type AskEvent =
  | { readonly type: 'ask.opened'; readonly ask: Omit<Ask, 'at' | 'phase'> }
  | { readonly type: 'ask.answered'; readonly askId: AskId; readonly answer: AskAnswer }
  | { readonly type: 'ask.withdrawn'; readonly askId: AskId };

export type JobEvent =
  /** The intent of a command in the background: durable before it is let go. */
  | { readonly type: 'job.started'; readonly job: Omit<Job, 'at' | 'phase'> }
  | {
      readonly type: 'job.stopping';
      readonly jobId: JobId;
      readonly by: Principal;
      readonly why: JobStop;
    }
  | { readonly type: 'job.ended'; readonly jobId: JobId; readonly end: JobEnd };
