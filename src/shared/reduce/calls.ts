import type { CallId } from '../ids';
import { runOf } from '../lookup';
import type { Call, CallPhase, State, Step } from '../state';
import { add, change, type EventOf, type Handlers } from './handler';
import { countStep, withEntry } from './runs';

function addStep(
  state: State,
  event: EventOf<'step.answered'> | EventOf<'step.aborted'>,
  rest: Pick<Step, 'status' | 'reasoning' | 'calls' | 'fault'>,
): State | null {
  const run = runOf(state, event.runId);
  // A stop ends the run at once; the partial answer that was streaming then arrives after it and is kept.
  const late = run?.phase.status === 'ended' && run.phase.reason === 'stopped' && rest.status === 'aborted';
  if (run === undefined || (run.phase.status !== 'running' && !late)) return null;
  const { stepId, runId, text, usage, at } = event;
  const { agentId, model } = run;
  const added = add(state, 'steps', { id: stepId, runId, agentId, at, model, text, usage, ...rest });
  const entered = added && withEntry(added, runId, { type: 'step', step: stepId });
  return entered && countStep(entered, runId, agentId, usage);
}

/** A finished call never changes again: each has exactly one result. */
const toPhase = (phase: CallPhase, argsHash: string | null) => (call: Call) =>
  call.phase.status === 'finished' ? null : { ...call, phase, argsHash: argsHash ?? call.argsHash };

/** The call did this to the team: its effect and the fact are one record. */
export const withTeamEffect = (state: State, callId: CallId): State | null =>
  change(
    state,
    'calls',
    callId,
    (call): Call => ({ ...call, effects: [...call.effects, { intent: { type: 'team' }, outcome: 'done' }] }),
  );

export const callHandlers: Handlers<
  | 'step.answered'
  | 'step.aborted'
  | 'call.permitted'
  | 'call.suspended'
  | 'effect.intended'
  | 'effect.ended'
  | 'call.finished'
> = {
  'step.answered': (state, event) => {
    const calls = event.calls.map((call) => call.callId);
    let next = addStep(state, event, {
      status: 'answered',
      reasoning: event.reasoning,
      calls,
      fault: null,
    });
    const agentId = runOf(state, event.runId)?.agentId;
    for (const { callId, wireId, tool, args } of event.calls) {
      if (next === null || agentId === undefined) return null;
      next = add(next, 'calls', {
        id: callId,
        runId: event.runId,
        stepId: event.stepId,
        agentId,
        wireId,
        tool,
        args,
        phase: { status: 'asked' },
        effects: [],
        argsHash: null,
      });
    }
    return next;
  },
  'step.aborted': (state, event) =>
    addStep(state, event, {
      status: event.fault === null ? 'aborted' : 'failed',
      reasoning: null,
      calls: [],
      fault: event.fault,
    }),
  'call.permitted': (state, event) =>
    change(
      state,
      'calls',
      event.callId,
      toPhase({ status: 'permitted', at: event.at, by: event.by }, event.argsHash),
    ),
  'call.suspended': (state, event) =>
    change(
      state,
      'calls',
      event.callId,
      toPhase({ status: 'suspended', since: event.at, on: event.on }, event.argsHash),
    ),
  'effect.intended': (state, event) =>
    change(state, 'calls', event.callId, (call): Call | null =>
      call.phase.status === 'finished'
        ? null
        : { ...call, effects: [...call.effects, { intent: event.intent, outcome: 'open' }] },
    ),
  'effect.ended': (state, event) =>
    change(state, 'calls', event.callId, (call) => {
      const effect = call.effects[event.index];
      if (effect === undefined || effect.outcome !== 'open') return null;
      return { ...call, effects: call.effects.with(event.index, { ...effect, outcome: event.outcome }) };
    }),
  'call.finished': (state, event) => {
    const { callId, result, at } = event;
    let runId: Call['runId'] | null = null;
    const finished = change(state, 'calls', callId, (call) => {
      runId = call.runId;
      return toPhase({ status: 'finished', at, result }, null)(call);
    });
    if (finished === null || finished.session === null || runId === null) return null;
    // Refusals by a rule are routine and don't count (X24).
    const executionErrors = finished.session.executionErrors + (result.status === 'error' ? 1 : 0);
    const counted = { ...finished, session: { ...finished.session, executionErrors } };
    if (!event.statusCall) return counted;
    return change(counted, 'runs', runId, (run) => ({ ...run, statusCalls: run.statusCalls + 1 }));
  },
};
