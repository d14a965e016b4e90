import { type AgentId, localId, type MessageId, type RunId, type TaskId } from '../shared/ids';
import { activeRunOf, agentOf, messageOf, openRunsOf, pendingFor, runOf } from '../shared/lookup';
import type { Ended, Message, MessageKind, Principal, RunCause, State } from '../shared/state';
import type { Text } from '../shared/text';
import type { Draft } from './draft';
import type { Policy } from './policy';

export interface Post {
  readonly from: Principal;
  readonly fromName: string;
  /** As addressed. */
  readonly to: readonly string[];
  readonly recipients: readonly AgentId[];
  readonly kind: MessageKind;
  readonly text: Text;
  readonly thread?: TaskId | null;
  readonly ended?: Ended | null;
}

/** The person's talk with the lead is not in the room and has no numbers (L-62). */
const inRoom = (kind: MessageKind): boolean => IN_ROOM.has(kind);
const IN_ROOM: ReadonlySet<MessageKind> = new Set(['message', 'report', 'person']);

/** Posts one message and wakes whoever is idle (L-75, L-76). Recipients are resolved now, once (L-53). */
export function post(draft: Draft, message: Post, policy: Policy): MessageId {
  const { state } = draft;
  const id = localId<MessageId>('m', state.messages.size);
  const { from, fromName, to, recipients, kind, text, thread = null, ended = null } = message;
  const runId = from.type === 'agent' ? runOfSpeaker(state, from.id) : null;
  const n = inRoom(kind) ? (state.session?.lastRoomNumber ?? 0) + 1 : null;
  draft.push({
    type: 'message.posted',
    message: { id, n, from, fromName, to, kind, text, runId, thread, flagged: false, ended },
    recipients,
  });
  for (const agentId of recipients) wake(draft, agentId, { kind, from }, policy);
  return id;
}

/** The turn in which it is said; what a turn ends with is said when it has just ended. */
function runOfSpeaker(state: State, id: AgentId): RunId | null {
  const ended = (runId: RunId) => runOf(state, runId)?.phase.status === 'ended';
  return activeRunOf(state, id)?.id ?? agentOf(state, id)?.runs.findLast(ended) ?? null;
}

/**
 * Gives an idle agent a run for mail that waits for it. One whose run is queued or goes on takes the mail in that
 * run; mail that comes after its last boundary is found when the run ends (`wakeForMail`), so none is lost.
 */
function wake(draft: Draft, agentId: AgentId, mail: Pick<Message, 'kind' | 'from'>, policy: Policy): void {
  if (policy.wake === null) return;
  if (openRunsOf(draft.state, agentId).length > 0) return;
  const cause = mail.kind === 'user' ? 'user' : 'mail';
  queueRun(draft, agentId, cause, startAfterOf(draft, mail.from, policy.wake));
}

function startAfterOf(
  draft: Draft,
  from: Principal,
  when: 'after_sender_turn' | 'now' | 'on_mail',
): RunId | null {
  if (when !== 'after_sender_turn' || from.type !== 'agent') return null;
  return activeRunOf(draft.state, from.id)?.id ?? null;
}

/**
 * After a run: mail that nobody picked up starts the next one (C-39).
 * @param newerThan mail that was sent at or before this time starts none by itself; null: all does
 */
export function wakeForMail(
  draft: Draft,
  agentId: AgentId,
  policy: Policy,
  newerThan: number | null = null,
): void {
  const { state } = draft;
  const agent = agentOf(state, agentId);
  if (agent === undefined || agent.left !== null) return;
  // What a guardrail flagged is nobody's to take (O-24), so it wakes nobody either.
  const mail = pendingFor(state, agentId)
    .filter(({ sentAt }) => newerThan === null || sentAt > newerThan)
    .flatMap(({ messageId }) => messageOf(state, messageId) ?? [])
    // Word of a command of its own is for a turn that goes on; only the lead's outlive a turn (L-48).
    .filter((message) => !message.flagged && (message.kind !== 'job' || agent.kind === 'lead'));
  const first = mail.find((message) => message.kind === 'user') ?? mail[0];
  if (first !== undefined) wake(draft, agentId, first, policy);
}

export function queueRun(
  draft: Draft,
  agentId: AgentId,
  cause: RunCause,
  startAfter: RunId | null,
  taskId?: TaskId | null,
): RunId | null {
  const agent = agentOf(draft.state, agentId);
  if (agent === undefined) return null;
  const runId = localId<RunId>('r', draft.state.runs.size);
  draft.push({
    type: 'run.queued',
    runId,
    agentId,
    cause,
    startAfter,
    taskId: taskId === undefined ? agent.taskId : taskId,
    model: agent.model,
  });
  return runId;
}
