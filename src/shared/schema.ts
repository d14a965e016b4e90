import * as z from 'zod';
import { fail, ok, type Result } from '../base/result';
import type { EventType, TeamEvent } from './events';

/**
 * Events are checked where they enter from disk. The shapes here are those of `events.ts`; what is inside a long
 * record (an agent's rows, a call's intent) is checked as far as the reducer leans on it. Unknown keys are kept: a
 * record that a later version extended stays what it was.
 */

const id = z.string().min(2);
const text = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('inline'), text: z.string() }),
  z.looseObject({ type: z.literal('blob'), blob: z.string(), bytes: z.number(), head: z.string() }),
]);
const maybeText = text.nullable();
const maybeId = id.nullable();
const names = z.array(z.string());
const principal = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('agent'), id }),
  z.looseObject({ type: z.literal('person') }),
  z.looseObject({ type: z.literal('host') }),
]);
const mode = z.enum(['ask', 'edits', 'auto']);
const limit = z.number().nullable();
const size = z.looseObject({ min: z.number(), max: z.number() });
const settings = z.looseObject({
  size,
  mode,
  limits: z.looseObject({ steps: limit, activeMs: limit, tokens: limit, microUsd: limit }),
});
const leaveReason = z.enum(['stopped', 'dissolved', 'ended']);
const dropReason = z.enum(['stopped', 'dissolved', 'reassigned']);
const parkedOn = z.enum(['permission', 'question', 'limit', 'collect', 'delegate', 'helper', 'pause']);
const finishReason = z.enum([
  'final',
  'delivered',
  'waiting',
  'question',
  'stopped',
  'steps',
  'budget',
  'error',
]);
const usage = z.looseObject({
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  estimated: z.boolean(),
  microUsd: z.number().nullable(),
  latencyMs: z.number(),
});
const maybeName = z.string().nullable();
const undoUnit = z.looseObject({
  path: z.string(),
  agents: z.array(id),
  changes: z.array(id),
  marks: z.array(id),
  to: z.enum(['undone', 'standing']),
  hunk: maybeName,
  takesBack: z.looseObject({ undo: id, unit: z.number() }).nullable(),
  writes: z.array(
    z.looseObject({
      path: z.string(),
      before: maybeName,
      after: maybeName,
      beforeHash: maybeName,
      afterHash: maybeName,
    }),
  ),
});
const inputPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('brief'), agentId: id }),
  z.looseObject({ type: z.literal('notes'), notes: z.array(id) }),
  z.looseObject({ type: z.literal('deliveries'), deliveries: z.array(id) }),
  z.looseObject({ type: z.literal('host'), text }),
]);
const suspension = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('permission'), ask: id }),
  z.looseObject({ type: z.literal('question'), ask: id }),
  z.looseObject({ type: z.literal('collect'), of: z.array(id), deadline: z.number() }),
  z.looseObject({ type: z.literal('delegate'), taskId: id, deadline: z.number() }),
  z.looseObject({ type: z.literal('helper'), agentId: id }),
]);
const effectOutcome = z.enum(['done', 'not_done', 'unknown']);
const intent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('write'), path: z.string(), kind: z.enum(['create', 'modify', 'delete']) }),
  z.looseObject({ type: z.literal('command'), command: z.string(), cwd: z.string(), pgid: z.number() }),
  z.looseObject({ type: z.literal('folder'), path: z.string(), act: z.enum(['make', 'remove']) }),
  z.looseObject({ type: z.literal('team') }),
]);
const askAnswer = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('allow'), scope: z.enum(['once', 'run']) }),
  z.looseObject({ type: z.literal('deny'), words: z.string() }),
  z.looseObject({ type: z.literal('reply'), text: z.string() }),
  z.looseObject({ type: z.literal('raise'), to: z.number().nullable() }),
  z.looseObject({ type: z.literal('end') }),
]);
const askAbout = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('permission'), tool: z.string(), argsHash: z.string() }),
  z.looseObject({ type: z.literal('question'), text }),
  z.looseObject({
    type: z.literal('limit'),
    limit: z.enum(['tokens', 'money']),
    used: z.number(),
    allowed: z.number(),
  }),
]);

const shapes: Readonly<Record<EventType, z.ZodRawShape>> = {
  'session.created': {
    session: z.looseObject({
      id,
      style: z.enum(['room', 'plan', 'dispatch', 'standard', 'router', 'orchestrator']),
      kind: z.enum(['team', 'solo']),
      title: z.string(),
      createdAt: z.number(),
      offered: z.boolean(),
      settings,
    }),
  },
  'session.renamed': { title: z.string() },
  'session.paused': { paused: z.boolean() },
  'session.archived': { archived: z.boolean() },
  'session.offered': { offered: z.boolean() },
  'settings.changed': { settings, by: principal },
  'note.added': {
    note: z.looseObject({
      id,
      about: z.discriminatedUnion('type', [
        z.looseObject({ type: z.literal('size'), size }),
        z.looseObject({ type: z.literal('stopped'), names }),
      ]),
    }),
  },
  'notes.pressed': { notes: z.array(id) },
  'note.told': { noteId: id, runId: id },
  'team.created': { teamId: id },
  'team.dissolved': { teamId: id },
  'agent.added': {
    agent: z.looseObject({
      id,
      name: z.string(),
      kind: z.enum(['lead', 'member', 'helper']),
      teamId: id,
      managerId: maybeId,
      role: z.string(),
      goal: maybeText,
      expert: z.string(),
      model: z.string(),
      mode,
      mayLead: z.boolean(),
      tools: names,
      system: text,
      brief: maybeText,
      taskId: maybeId,
      helper: z.looseObject({ callId: id, background: z.boolean() }).optional(),
    }),
  },
  'agent.left': { agentId: id, by: principal, reason: leaveReason },
  'agent.returned': { agentId: id },
  'agent.todo': {
    agentId: id,
    items: z.array(z.looseObject({ text: z.string(), status: z.enum(['pending', 'in_progress', 'done']) })),
  },
  'agent.goal': { agentId: id, goal: text },
  'agent.model': { agentId: id, model: z.string() },
  'agent.mode': { agentId: id, mode },
  'agent.rebuilt': { agentId: id, system: text, tools: names },
  'run.queued': {
    runId: id,
    agentId: id,
    cause: z.enum(['user', 'brief', 'mail', 'call', 'retry']),
    startAfter: maybeId,
    taskId: maybeId,
    model: z.string(),
  },
  'run.started': { runId: id },
  'run.parked': { runId: id, on: parkedOn, slot: z.enum(['kept', 'given_back']) },
  'run.continued': { runId: id, resumed: z.boolean() },
  'run.interrupted': { runId: id },
  'run.requeued': { runId: id },
  'run.ended': { runId: id, reason: finishReason, detail: z.string().nullable(), text: maybeText },
  'input.taken': { runId: id, parts: z.array(inputPart) },
  'step.answered': {
    stepId: id,
    runId: id,
    text,
    reasoning: maybeText,
    calls: z.array(z.looseObject({ callId: id, wireId: z.string(), tool: z.string(), args: text })),
    usage,
  },
  'context.compacted': {
    runId: id,
    text: maybeText,
    from: z.looseObject({ runId: id, entry: z.number() }).nullable(),
    cut: z.array(z.looseObject({ callId: id, chars: z.number() })),
    fault: z.string().nullable(),
    usage: usage.nullable(),
  },
  'step.aborted': { stepId: id, runId: id, text, usage, fault: z.string().nullable() },
  'call.permitted': {
    callId: id,
    by: z.enum(['class', 'mode', 'rule', 'reading_command', 'person']),
    argsHash: z.string().nullable(),
  },
  'call.suspended': { callId: id, on: suspension, argsHash: z.string().nullable() },
  'effect.intended': { callId: id, intent },
  'effect.ended': { callId: id, index: z.number(), outcome: effectOutcome },
  'call.finished': {
    callId: id,
    result: z.looseObject({
      status: z.enum(['ok', 'error', 'refused', 'denied', 'stopped', 'unknown']),
      text,
    }),
    statusCall: z.boolean(),
  },
  'message.posted': {
    message: z.looseObject({
      id,
      n: z.number().nullable(),
      from: principal,
      fromName: z.string(),
      to: names,
      kind: z.enum(['user', 'answer', 'message', 'report', 'person', 'job', 'instruction', 'result']),
      text,
      runId: maybeId,
      thread: maybeId,
      flagged: z.boolean(),
      ended: z
        .looseObject({ reason: z.enum(['steps', 'budget', 'error']), detail: z.string().nullable() })
        .nullable(),
    }),
    recipients: z.array(id),
  },
  'delivery.delivered': { deliveryId: id, runId: id },
  'delivery.processed': { deliveryId: id, runId: id },
  'delivery.dropped': { deliveryId: id, reason: dropReason },
  'delivery.returned': { deliveryId: id, reason: z.string() },
  'task.created': { task: z.looseObject({ id, agentId: id, brief: text, dependsOn: z.array(id) }) },
  'task.changed': {
    taskId: id,
    status: z.enum(['open', 'delivered', 'stale', 'failed', 'cancelled']),
    brief: maybeText,
    evidence: maybeText,
  },
  'outcome.recorded': {
    outcome: z.looseObject({
      id,
      agentId: id,
      runId: id,
      taskId: maybeId,
      messageId: maybeId,
      kind: z.enum(['result', 'question', 'failure']),
      summary: text,
      paths: names,
      cause: finishReason,
    }),
  },
  'outcome.accepted': { outcomeId: id },
  'outcome.returned': { outcomeId: id, messageId: id },
  'change.made': {
    change: z.looseObject({
      id,
      agentId: id,
      runId: id,
      callId: id,
      path: z.string(),
      kind: z.enum(['create', 'modify', 'delete', 'rename']),
      from: z.string().optional(),
      added: z.number(),
      removed: z.number(),
      mode: z.looseObject({ before: z.number(), after: z.number() }).optional(),
      by: z.enum(['tool', 'command']).optional(),
      sharedWith: names.optional(),
      undoable: z.boolean().optional(),
    }),
  },
  'change.undone': { changeId: id, by: principal },
  'change.redone': { changeId: id },
  'undo.begun': {
    undo: z.looseObject({
      id,
      by: principal,
      of: z.enum(['hunk', 'file', 'member', 'task', 'undo']),
      units: z.array(undoUnit),
    }),
  },
  'undo.unit_ended': { undoId: id, unit: z.number(), outcome: z.enum(['done', 'not_done', 'unknown']) },
  'ask.opened': { ask: z.looseObject({ id, agentId: id, runId: id, callId: maybeId, about: askAbout }) },
  'ask.answered': { askId: id, answer: askAnswer },
  'ask.withdrawn': { askId: id },
  'job.started': {
    job: z.looseObject({
      id,
      agentId: id,
      runId: id,
      callId: id,
      command: z.string(),
      cwd: z.string(),
      pgid: z.number(),
      processStart: z.string(),
    }),
  },
  'job.stopping': {
    jobId: id,
    by: principal,
    why: z.enum(['asked', 'turn_ended', 'agent_stopped', 'closed']),
  },
  'job.ended': {
    jobId: id,
    end: z.looseObject({
      how: z.enum(['exited', 'timed_out', 'stopped', 'not_begun', 'unknown']),
      output: text,
      from: z.number(),
    }),
  },
};

const schemas = new Map<string, z.ZodType>(
  Object.entries(shapes).map(([type, shape]) => [
    type,
    z.looseObject({ at: z.number(), call: id.optional(), ...shape }),
  ]),
);

/** Every type of event that this version knows. */
export const knownEventTypes: readonly string[] = [...schemas.keys()];

export interface EventProblem {
  /** `unknown_type`: written by a newer version, and not to be dropped silently. */
  readonly code: 'not_json' | 'unknown_type' | 'bad_shape';
  /** What was found, for the log. */
  readonly detail: string;
}

/** Checks one event as it was read. */
export function parseEvent(value: unknown): Result<TeamEvent, EventProblem> {
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') return fail({ code: 'bad_shape', detail: 'an event without a type' });
  const schema = schemas.get(type);
  if (schema === undefined) return fail({ code: 'unknown_type', detail: type });
  const checked = schema.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return fail({
      code: 'bad_shape',
      detail: `${type}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    });
  }
  // The value as it was read, not a copy: the schema only looks.
  return ok(value as TeamEvent);
}

/** Checks one record of the journal: the events of one decision. */
export function parseRecord(json: string): Result<readonly TeamEvent[], EventProblem> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return fail({ code: 'not_json', detail: error instanceof Error ? error.message : String(error) });
  }
  const events: TeamEvent[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    const event = parseEvent(item);
    if (!event.ok) return event;
    events.push(event.value);
  }
  return ok(events);
}
