import { fail, ok, type Result } from '../base/result';
import { type AskId, type CallId, type ChangeId, localId, type StepId } from '../shared/ids';
import { callOf, openCallsOf } from '../shared/lookup';
import type { Call, State, Suspension } from '../shared/state';
import type { Decide, Facts, Refusal, RunCommand } from './commands';
import { Draft } from './draft';
import { runIn } from './runs';

type Of<T extends RunCommand['type']> = Decide<Extract<RunCommand, { type: T }>>;

/** A call that still waits for its result. One that has it never gets another. */
function openCall(state: State, id: CallId): Result<Call, Refusal> {
  const call = callOf(state, id);
  if (call === undefined) return fail({ code: 'gone', what: 'call' });
  if (call.phase.status === 'finished') return fail({ code: 'wrong_state', what: 'call', is: 'finished' });
  return ok(call);
}

export const decideStep: Of<'record_step'> = (state, command, facts) => {
  const found = runIn(state, command.runId, 'running');
  if (!found.ok) return found;
  // Each call has its result before the model is asked again.
  const [open] = openCallsOf(state, command.runId);
  if (open !== undefined) return fail({ code: 'wrong_state', what: 'call', is: open.phase.status });
  const draft = new Draft(state, facts.now);
  draft.push({
    type: 'step.answered',
    stepId: localId<StepId>('s', state.steps.size),
    runId: command.runId,
    text: command.text,
    reasoning: command.reasoning,
    calls: command.calls.map((call, i) => ({ callId: localId<CallId>('c', state.calls.size + i), ...call })),
    usage: command.usage,
  });
  return ok(draft.events);
};

export const decideAbort: Of<'record_abort'> = (state, command, facts) => {
  // A stop ends the run at once; what was streaming then arrives after it and is kept.
  const found = runIn(state, command.runId, 'running', 'ended');
  if (!found.ok) return found;
  const { phase } = found.value;
  if (phase.status === 'ended' && (phase.reason !== 'stopped' || command.fault !== null)) {
    return fail({ code: 'wrong_state', what: 'run', is: phase.reason });
  }
  const { runId, text, usage, fault } = command;
  const draft = new Draft(state, facts.now);
  const stepId = localId<StepId>('s', state.steps.size);
  draft.push({ type: 'step.aborted', stepId, runId, text, usage, fault });
  return ok(draft.events);
};

export const decideCompaction: Of<'record_compaction'> = (state, { type: _type, ...made }, facts) => {
  const found = runIn(state, made.runId, 'running');
  if (!found.ok) return found;
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'context.compacted', ...made });
  return ok(draft.events);
};

export const decidePermit: Of<'permit_call'> = (state, { callId, by, argsHash }, facts) => {
  const found = openCall(state, callId);
  if (!found.ok) return found;
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'call.permitted', callId, by, argsHash });
  return ok(draft.events);
};

export const decideAskPerson: Of<'ask_person'> = (state, { callId, about, argsHash }, facts) => {
  const found = openCall(state, callId);
  if (!found.ok) return found;
  const { runId, agentId } = found.value;
  const run = runIn(state, runId, 'running');
  if (!run.ok) return run;
  if (about.type === 'limit') return fail({ code: 'wrong_state', what: 'call', is: 'not a limit' });
  const draft = new Draft(state, facts.now);
  const ask = localId<AskId>('q', state.asks.size);
  draft.push({ type: 'ask.opened', ask: { id: ask, agentId, runId, callId, about } });
  draft.push({ type: 'call.suspended', callId, on: { type: about.type, ask }, argsHash });
  return ok(draft.events);
};

export const decideSuspend: Of<'suspend_call'> = (state, { callId, on }, facts) => {
  const found = openCall(state, callId);
  if (!found.ok) return found;
  const run = runIn(state, found.value.runId, 'running');
  if (!run.ok) return run;
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'call.suspended', callId, on: withDeadline(on, facts), argsHash: null });
  return ok(draft.events);
};

/** The longest that a call may wait for others is the style's. */
export function withDeadline(on: Suspension, facts: Facts): Suspension {
  if (on.type !== 'collect' && on.type !== 'delegate') return on;
  const longest = facts.policy.parkDeadlineMs;
  if (longest === null) return { ...on, deadline: Number.MAX_SAFE_INTEGER };
  if (longest === 'per_call') return on;
  return { ...on, deadline: Math.min(on.deadline, facts.now + longest) };
}

export const decideIntend: Of<'intend_effect'> = (state, { callId, intent }, facts) => {
  const found = openCall(state, callId);
  if (!found.ok) return found;
  // A stopped run acts no more, whatever its tool was about to do.
  const run = runIn(state, found.value.runId, 'running');
  if (!run.ok) return run;
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'effect.intended', callId, intent });
  return ok(draft.events);
};

/** What came of an effect is recorded also after its call was stopped: what happened, happened. */
export const decideEffectEnd: Of<'end_effect'> = (state, { callId, index, outcome, change }, facts) => {
  const call = callOf(state, callId);
  if (call === undefined) return fail({ code: 'gone', what: 'call' });
  const effect = call.effects[index];
  if (effect?.outcome !== 'open') {
    return fail({ code: 'wrong_state', what: 'effect', is: effect?.outcome ?? 'missing' });
  }
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'effect.ended', callId, index, outcome });
  if (change !== null) {
    const id = localId<ChangeId>('h', state.changes.size);
    const { agentId, runId } = call;
    draft.push({ type: 'change.made', change: { ...change, id, agentId, runId, callId } });
  }
  return ok(draft.events);
};

export const decideChanges: Of<'record_changes'> = (state, { callId, changes }, facts) => {
  const call = callOf(state, callId);
  if (call === undefined) return fail({ code: 'gone', what: 'call' });
  const { agentId, runId } = call;
  const draft = new Draft(state, facts.now);
  for (const [i, change] of changes.entries()) {
    const id = localId<ChangeId>('h', state.changes.size + i);
    draft.push({ type: 'change.made', change: { ...change, id, agentId, runId, callId } });
  }
  return ok(draft.events);
};

export const decideFinish: Of<'finish_call'> = (state, { callId, result, statusCall }, facts) => {
  const found = openCall(state, callId);
  if (!found.ok) return found;
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'call.finished', callId, result, statusCall });
  return ok(draft.events);
};
