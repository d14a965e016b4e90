import { never } from '../../base/never';
import { at, values } from '../../base/table';
import type { TeamEvent } from '../events';
import {
  type AgentId,
  type ChangeId,
  indexOf,
  type JobId,
  type MessageId,
  type OutcomeId,
  type RunId,
  type UndoId,
} from '../ids';
import { agentOf, callOf, jobOf, outcomeOf, runOf, undoOf } from '../lookup';
import { lastReportedRuns } from '../review';
import type { State } from '../state';
import {
  askEntry,
  compactedEntry,
  haltedEntry,
  interruptedEntry,
  joinedEntry,
  leftEntry,
  messageEntry,
  saidEntry,
} from './roomEntries';
import { entryKey, type RoomEntry } from './roomList';

/** Collects which rows a batch of events concerns. Looks things up in the state after the batch. */
export class Toucher {
  readonly newAgents: AgentId[] = [];
  readonly newChanges: ChangeId[] = [];
  /** Lines of the tree. */
  readonly agents = new Set<AgentId>();
  /** Keys of the timeline that look different. */
  readonly rows = new Set<string>();
  /** Lines of the timeline that are there after the batch. */
  readonly entries: RoomEntry[] = [];
  /** Keys of the timeline that are not there any more. */
  readonly gone = new Set<string>();
  readonly files: { readonly agentId: AgentId; readonly path: string }[] = [];
  readonly #state: State;
  readonly #reports: ReadonlyMap<RunId, MessageId>;
  readonly #failures: ReadonlyMap<RunId, MessageId>;

  constructor(state: State, reports: ReadonlyMap<RunId, MessageId>, failures: ReadonlyMap<RunId, MessageId>) {
    this.#failures = failures;
    this.#state = state;
    this.#reports = reports;
  }

  take(event: TeamEvent): void {
    switch (event.type) {
      case 'session.created':
      case 'session.renamed':
      case 'session.archived':
      case 'session.offered':
      case 'team.created':
      case 'team.dissolved':
      case 'task.created':
      case 'task.changed':
      case 'input.taken':
      case 'undo.begun':
        break;
      case 'session.paused':
      case 'settings.changed':
      case 'note.added':
      case 'note.told':
      case 'notes.pressed':
        this.#ofSession(event.type);
        break;
      case 'agent.added':
        this.#added(event.agent.id);
        break;
      case 'agent.left':
        this.#left(event.agentId);
        break;
      case 'agent.returned':
        this.#returned(event.agentId);
        break;
      case 'agent.todo':
      case 'agent.goal':
      case 'agent.model':
      case 'agent.mode':
      case 'agent.rebuilt':
        this.agents.add(event.agentId);
        break;
      case 'run.queued':
        this.#overtaken(event.agentId);
        break;
      case 'run.started':
      case 'run.requeued':
      case 'run.parked':
      case 'run.continued':
      case 'run.interrupted':
      case 'run.ended':
        this.#run(event.runId);
        break;
      case 'context.compacted':
        this.#compacted(event.runId);
        break;
      case 'step.answered':
        this.#said(indexOf(event.stepId));
        this.#agentOfRun(event.runId);
        break;
      case 'step.aborted':
        this.#agentOfRun(event.runId);
        break;
      case 'call.permitted':
      case 'call.suspended':
      case 'effect.intended':
      case 'effect.ended':
      case 'call.finished':
        this.#call(event.callId);
        break;
      case 'message.posted':
        this.#message(indexOf(event.message.id));
        break;
      case 'delivery.delivered':
      case 'delivery.processed':
      case 'delivery.dropped':
      case 'delivery.returned':
        this.#delivery(indexOf(event.deliveryId));
        break;
      case 'outcome.recorded':
      case 'outcome.accepted':
      case 'outcome.returned':
      case 'change.made':
      case 'change.undone':
      case 'change.redone':
      case 'undo.unit_ended':
        this.#handedIn(event);
        break;
      case 'ask.opened':
        this.#ask(indexOf(event.ask.id));
        break;
      case 'job.started':
        this.#agent(event.job.agentId);
        break;
      case 'job.stopping':
      case 'job.ended':
        this.#job(event.jobId);
        break;
      case 'ask.answered':
      case 'ask.withdrawn':
        this.#ask(indexOf(event.askId));
        break;
      default:
        never(event);
    }
  }

  /** What agents changed, and what the person said to it. */
  #handedIn(
    event: Extract<TeamEvent, { type: `outcome.${string}` | `change.${string}` | 'undo.unit_ended' }>,
  ): void {
    switch (event.type) {
      case 'outcome.recorded':
        this.#reviewed(event.outcome.id);
        return;
      case 'outcome.accepted':
      case 'outcome.returned':
        this.#reviewed(event.outcomeId);
        return;
      case 'change.made':
        this.newChanges.push(event.change.id);
        this.#change(event.change.id);
        return;
      case 'change.undone':
      case 'change.redone':
        this.#change(event.changeId);
        return;
      case 'undo.unit_ended':
        this.#undone(event.undoId, event.unit);
        return;
    }
  }

  #ofSession(type: TeamEvent['type']): void {
    if (type === 'session.paused') this.#queued();
    // How much more a turn would get is said where it can go on.
    else if (type === 'settings.changed')
      for (const agent of values(this.#state.agents)) this.#overtaken(agent.id);
    else this.#leftRows();
  }

  #compacted(id: RunId): void {
    const run = runOf(this.#state, id);
    if (run === undefined) return;
    this.agents.add(run.agentId);
    this.#entry(compactedEntry(run));
  }

  /** An agent's line, and its manager's, which may wait for it. */
  #agent(id: AgentId): void {
    this.agents.add(id);
    const manager = agentOf(this.#state, id)?.managerId ?? null;
    if (manager !== null) this.agents.add(manager);
  }

  #agentOfRun(id: RunId): void {
    const run = runOf(this.#state, id);
    if (run !== undefined) this.agents.add(run.agentId);
  }

  /** Whoever waits for a slot or a turn. */
  #queued(): void {
    for (const id of this.#state.open.runs) {
      const run = runOf(this.#state, id);
      if (run?.phase.status === 'queued') this.agents.add(run.agentId);
    }
  }

  #added(id: AgentId): void {
    const agent = agentOf(this.#state, id);
    if (agent === undefined) return;
    this.newAgents.push(id);
    this.#agent(id);
    this.#entry(joinedEntry(agent));
  }

  #returned(id: AgentId): void {
    this.#agent(id);
    this.gone.add(entryKey('left', indexOf(id)));
  }

  #left(id: AgentId): void {
    this.#overtaken(id);
    // A turn that this stop has ended needs no line beside that of the agent.
    for (const runId of agentOf(this.#state, id)?.runs ?? []) {
      const run = runOf(this.#state, runId);
      if (run !== undefined && haltedEntry(this.#state, run) === null)
        this.gone.add(entryKey('halted', indexOf(runId)));
    }
    this.#leftEntryOf(id);
    // Those under it may have had a line of their own when they left a moment before.
    for (const other of values(this.#state.agents)) if (other.managerId === id) this.#leftEntryOf(other.id);
    this.#queued();
  }

  #leftEntryOf(id: AgentId): void {
    const agent = agentOf(this.#state, id);
    if (agent?.left == null) return;
    const entry = leftEntry(this.#state, agent);
    if (entry === null) this.gone.add(entryKey('left', indexOf(id)));
    else this.#entry(entry);
  }

  #leftRows(): void {
    for (const agent of values(this.#state.agents))
      if (agent.left?.by.type === 'person') this.rows.add(entryKey('left', indexOf(agent.id)));
  }

  #run(id: RunId): void {
    const run = runOf(this.#state, id);
    if (run === undefined) return;
    this.#agent(run.agentId);
    this.#queued();
    const index = indexOf(id);
    const interrupted = interruptedEntry(run);
    if (interrupted === null) this.gone.add(entryKey('interrupted', index));
    else this.#entry(interrupted);
    const halted = haltedEntry(this.#state, run);
    if (halted === null) this.gone.add(entryKey('halted', index));
    else this.#entry(halted);
  }

  /** Its line; and what offered to go on with an agent's last turn offers it no more. */
  #overtaken(id: AgentId): void {
    this.#agent(id);
    for (const runId of agentOf(this.#state, id)?.runs.slice(-2) ?? []) {
      this.report(this.#failures.get(runId));
      this.rows.add(entryKey('halted', indexOf(runId)));
    }
  }

  #call(id: Parameters<typeof callOf>[1]): void {
    const call = callOf(this.#state, id);
    if (call === undefined) return;
    this.agents.add(call.agentId);
    if (runOf(this.#state, call.runId)?.phase.status === 'interrupted')
      this.rows.add(entryKey('interrupted', indexOf(call.runId)));
  }

  #said(index: number): void {
    const step = at(this.#state.steps, index);
    if (step !== undefined) this.#entry(saidEntry(this.#state, step));
  }

  #message(index: number): void {
    const message = at(this.#state.messages, index);
    if (message !== undefined) this.#entry(messageEntry(this.#state, message));
  }

  #delivery(index: number): void {
    const delivery = at(this.#state.deliveries, index);
    if (delivery === undefined) return;
    const message = indexOf(delivery.messageId);
    this.rows.add(entryKey('message', message));
    const from = at(this.#state.messages, message)?.from;
    if (from?.type === 'agent') this.agents.add(from.id);
  }

  #ask(index: number): void {
    const ask = at(this.#state.asks, index);
    if (ask === undefined) return;
    this.#entry(askEntry(ask));
    this.agents.add(ask.agentId);
  }

  #job(id: JobId): void {
    const job = jobOf(this.#state, id);
    if (job !== undefined) this.#agent(job.agentId);
  }

  #change(id: ChangeId): void {
    const change = at(this.#state.changes, indexOf(id));
    if (change === undefined) return;
    this.files.push({ agentId: change.agentId, path: change.path });
    // Whether anything of it is left to review.
    this.#review(change.agentId);
    this.report(this.#reports.get(change.runId));
  }

  #undone(id: UndoId, index: number): void {
    const unit = undoOf(this.#state, id)?.units[index];
    for (const agentId of unit?.agents ?? [])
      for (const path of new Set([unit?.path ?? '', ...(unit?.writes ?? []).map((write) => write.path)]))
        this.files.push({ agentId, path });
  }

  /** Its own report, that before it, which it takes the place of, and its agent's line. */
  #reviewed(id: OutcomeId): void {
    const outcome = outcomeOf(this.#state, id);
    if (outcome === undefined) return;
    this.report(this.#reports.get(outcome.runId));
    this.#review(outcome.agentId);
  }

  #review(agent: AgentId): void {
    this.agents.add(agent);
    for (const runId of lastReportedRuns(this.#state, agent)) this.report(this.#reports.get(runId));
  }

  /** A report whose files are others now. */
  report(id: MessageId | undefined): void {
    if (id !== undefined) this.rows.add(entryKey('message', indexOf(id)));
  }

  /** Is there after the batch: new, or different. */
  #entry(entry: RoomEntry | null): void {
    if (entry === null) return;
    this.entries.push(entry);
    this.rows.add(entry.key);
  }
}
