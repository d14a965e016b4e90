import { fail, ok, type Result } from '../base/result';
import { type AskId, localId, type RunId } from '../shared/ids';
import {
  activeRunOf,
  agentOf,
  hasPressing,
  messageOf,
  openCallsOf,
  openRuns,
  pendingFor,
  runOf,
  stepOf,
} from '../shared/lookup';
import { retriedRun } from '../shared/retry';
import type { Delivery, InputPart, ParkedOn, Run, RunPhase, State } from '../shared/state';
import { inline, type Text } from '../shared/text';
import { leadRequest } from './add';
import type { Decide, Facts, PersonCommand, Refusal, RunCommand } from './commands';
import { Draft } from './draft';
import { endRun } from './endRun';
import type { Policy } from './policy';
import { mayGoOn } from './slots';

type Of<T extends RunCommand['type']> = Decide<Extract<RunCommand, { type: T }>>;

/** How a run is told to end that nobody resumed. */
export const INTERRUPTED = 'interrupted by a restart';

/** The run, if it is in one of these phases. */
export function runIn(state: State, id: RunId, ...phases: RunPhase['status'][]): Result<Run, Refusal> {
  const run = runOf(state, id);
  if (run === undefined) return fail({ code: 'gone', what: 'run' });
  const is = run.phase.status;
  return phases.includes(is) ? ok(run) : fail({ code: 'wrong_state', what: 'run', is });
}

/** Starts a queued run, or lets one go on that was let through by the scheduler. */
export const decideStart: Of<'start_run'> = (state, { runId }, facts) => {
  const found = runIn(state, runId, 'queued', 'parked');
  if (!found.ok) return found;
  const run = found.value;
  if (state.session?.paused === true) return fail({ code: 'wrong_state', what: 'session', is: 'paused' });
  if (run.phase.status === 'parked') return decideContinue(state, { type: 'continue_run', runId }, facts);
  const active = activeRunOf(state, run.agentId);
  if (active !== undefined) return fail({ code: 'wrong_state', what: 'agent', is: active.phase.status });
  const draft = new Draft(state, facts.now);
  if (isBeyondCap(state, run, facts.policy)) {
    const text = inline('');
    endRun(draft, run, { reason: 'error', detail: loopLimit(facts.policy), text, paths: [] }, facts);
    return ok(draft.events);
  }
  if (run.startedAt !== null) draft.push({ type: 'run.continued', runId, resumed: true });
  else {
    rebuildLead(draft, run, facts);
    draft.push({ type: 'run.started', runId });
  }
  return ok(draft.events);
};

/** O-31: at the cap the next trigger is cut. The manager's own turns are no triggers. */
function isBeyondCap(state: State, run: Run, policy: Policy): boolean {
  if (policy.invocations === null || agentOf(state, run.agentId)?.kind === 'lead') return false;
  return run.startedAt === null && (state.session?.runsStarted ?? 0) >= policy.invocations;
}

const loopLimit = (policy: Policy): string => `loop limit: ${policy.invocations ?? 0} runs in this session`;

/** X30: where roster and tools are made anew for every turn, that happens between turns and never within one. */
function rebuildLead(draft: Draft, run: Run, facts: Facts): void {
  const { policy } = facts;
  if (policy.rosterIn === 'notes' && policy.toolList !== 'per_turn') return;
  const agent = agentOf(draft.state, run.agentId);
  if (agent?.kind !== 'lead') return;
  const built = facts.build(
    leadRequest(draft.state.session?.offered ?? false, facts.model(agent.model), facts),
  );
  draft.push({ type: 'agent.rebuilt', agentId: agent.id, ...built });
}

/**
 * Takes what waits for the agent into the transcript, one user message a call, until it answers no events: the
 * brief alone and as given (L-40); what the host has to say; the team's mail (L-78); the person's words with the
 * notes for the lead (L-95). The person's words and a peer's never share a message.
 */
export const decideTakeInput: Of<'take_input'> = (state, { runId, host }, facts) => {
  const found = runIn(state, runId, 'running');
  if (!found.ok) return found;
  const run = found.value;
  const draft = new Draft(state, facts.now);
  const brief = briefOf(state, run, facts.policy);
  if (brief !== null) draft.push({ type: 'input.taken', runId, parts: [brief] });
  if (host !== null) draft.push({ type: 'input.taken', runId, parts: [{ type: 'host', text: host }] });
  if (draft.events.length === 0) takeMail(draft, run, facts.policy);
  return ok(draft.events);
};

function briefOf(state: State, run: Run, policy: Policy): InputPart | null {
  const agent = agentOf(state, run.agentId);
  if (agent === undefined || agent.brief === null || run.entries.length > 0) return null;
  // The turn that it goes on with may have failed before it took anything.
  if (run.cause === 'retry') return wasBriefed(state, run) ? null : { type: 'brief', agentId: agent.id };
  // Where the old context isn't there any more, the brief is (C-43).
  return run.cause === 'brief' || policy.wakeContext === 'rebuilt'
    ? { type: 'brief', agentId: agent.id }
    : null;
}

function wasBriefed(state: State, run: Run): boolean {
  const before = retriedRun(state, run);
  if (before === null) return false;
  const taken = before.entries.some(
    (entry) => entry.type === 'input' && entry.parts.some((part) => part.type === 'brief'),
  );
  // Any other turn than the first has it in its context, or was given it anew.
  return taken || (before.cause !== 'brief' && (before.cause !== 'retry' || wasBriefed(state, before)));
}

function takeMail(draft: Draft, run: Run, policy: Policy): void {
  // Where mail is picked up between tasks only, a turn that has begun takes none (X40).
  if (policy.wake === 'on_mail' && run.steps > 0) return;
  const mail = pendingFor(draft.state, run.agentId).flatMap((delivery) => {
    const message = messageOf(draft.state, delivery.messageId);
    if (message === undefined || message.flagged || wasTaken(run, delivery)) return [];
    return [{ id: delivery.id, kind: message.kind }];
  });
  if (mail.length === 0) takePressing(draft, run);
  const team = mail.filter(({ kind }) => kind !== 'user').map(({ id }) => id);
  const said = mail.filter(({ kind }) => kind === 'user').map(({ id }) => id);
  const taken = team.length > 0 ? team : said;
  if (taken.length === 0) return;
  const parts = taken === said ? takeNotes(draft, run) : [];
  for (const deliveryId of taken) draft.push({ type: 'delivery.delivered', deliveryId, runId: run.id });
  draft.push({
    type: 'input.taken',
    runId: run.id,
    parts: [...parts, { type: 'deliveries', deliveries: taken }],
  });
}

/** All notes go together, so that none is told before an older one. */
function takeNotes(draft: Draft, run: Run): InputPart[] {
  const { notes } = draft.state.open;
  for (const noteId of notes) draft.push({ type: 'note.told', noteId, runId: run.id });
  return notes.length === 0 ? [] : [{ type: 'notes', notes }];
}

/** "Tell the lead now": without words of the person's to go with. */
function takePressing(draft: Draft, run: Run): void {
  if (agentOf(draft.state, run.agentId)?.kind !== 'lead' || !hasPressing(draft.state)) return;
  const parts = takeNotes(draft, run);
  draft.push({ type: 'input.taken', runId: run.id, parts });
}

/** What was put back is another attempt for another turn; nothing is shown twice in one. */
function wasTaken(run: Run, { id, attempt }: Delivery): boolean {
  if (attempt === 1) return false;
  return run.entries.some(
    (entry) =>
      entry.type === 'input' &&
      entry.parts.some((part) => part.type === 'deliveries' && part.deliveries.includes(id)),
  );
}

/** Parks a run whose step has settled but for suspended calls. Nothing suspended: it simply goes on. */
export const decidePark: Of<'park_run'> = (state, { runId }, facts) => {
  const found = runIn(state, runId, 'running');
  if (!found.ok) return found;
  const waits = openCallsOf(state, runId).flatMap(({ phase }) =>
    phase.status === 'suspended' ? [phase.on.type] : [],
  );
  // What waits for the person says it, whatever else it waits for beside.
  const on = waits.find((each) => each === 'permission' || each === 'question') ?? waits[0];
  if (on === undefined) return ok([]);
  const backs: readonly ParkedOn[] = facts.policy.givesSlotBack;
  const slot = waits.every((each) => backs.includes(each)) ? 'given_back' : 'kept';
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'run.parked', runId, on, slot });
  return ok(draft.events);
};

/** Nothing of it is open, so it keeps its slot and goes on with its next step. Not paused any more: it simply goes on. */
export const decidePauseRun: Of<'pause_run'> = (state, { runId }, facts) => {
  const found = runIn(state, runId, 'running');
  if (!found.ok) return found;
  if (state.session?.paused !== true) return ok([]);
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'run.parked', runId, on: 'pause', slot: 'kept' });
  return ok(draft.events);
};

export const decideContinue: Of<'continue_run'> = (state, { runId }, facts) => {
  const found = runIn(state, runId, 'parked');
  if (!found.ok) return found;
  if (!mayGoOn(state, found.value)) return fail({ code: 'wrong_state', what: 'run', is: 'still waiting' });
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'run.continued', runId, resumed: false });
  return ok(draft.events);
};

export const decideInterrupt: Of<'interrupt_run'> = (state, { runId }, facts) => {
  const found = runIn(state, runId, 'running');
  if (!found.ok) return found;
  const draft = new Draft(state, facts.now);
  draft.push({ type: 'run.interrupted', runId });
  return ok(draft.events);
};

export const decideEnd: Of<'end_run'> = (state, command, facts) => {
  const found = runIn(state, command.runId, 'queued', 'running', 'parked', 'interrupted');
  if (!found.ok) return found;
  const draft = new Draft(state, facts.now);
  const { reason, detail, text, paths } = command;
  endRun(draft, found.value, { reason, detail, text, paths }, facts);
  return ok(draft.events);
};

/** The run waits for the person to raise a limit or to end it; its slot stays its own. */
export const decideAskLimit: Of<'ask_limit'> = (state, { runId, about }, facts) => {
  const found = runIn(state, runId, 'running');
  if (!found.ok) return found;
  const draft = new Draft(state, facts.now);
  const id = localId<AskId>('q', state.asks.size);
  const { agentId } = found.value;
  draft.push({ type: 'ask.opened', ask: { id, agentId, runId, callId: null, about } });
  draft.push({ type: 'run.parked', runId, on: 'limit', slot: 'kept' });
  return ok(draft.events);
};

/** The person's word on runs that a restart interrupted; X14: what going on means is the style's. */
export const decideResume: Decide<Extract<PersonCommand, { type: 'resume' }>> = (state, command, facts) => {
  const draft = new Draft(state, facts.now);
  for (const { id } of openRuns(state)) {
    const run = runOf(draft.state, id);
    // A helper has ended with the turn of its caller before.
    if (run?.phase.status !== 'interrupted') continue;
    if (command.runs !== null && !command.runs.includes(run.id)) continue;
    if (command.go && facts.policy.redeliver === 'auto') {
      draft.push({ type: 'run.requeued', runId: run.id });
    } else {
      const ending = {
        reason: 'error',
        detail: INTERRUPTED,
        text: lastWords(state, run),
        paths: [],
      } as const;
      endRun(draft, run, ending, facts);
    }
  }
  return ok(draft.events);
};

/** What the agent had last said in this run. */
export function lastWords(state: State, run: Run): Text {
  const entry = run.entries.findLast((each) => each.type === 'step');
  return (entry?.type === 'step' ? stepOf(state, entry.step)?.text : undefined) ?? inline('');
}
