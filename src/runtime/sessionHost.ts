import { runLoop } from '../agent/loop';
import type { TeamEvent } from '../shared/events';
import type { RunId } from '../shared/ids';
import { agentOf, runOf } from '../shared/lookup';
import type { State } from '../shared/state';
import type { StyleFacade } from '../styles/style';
import { actorOf } from './actor';
import type { LiveUpdate } from './engine';
import { Jobs } from './jobs';
import { must } from './must';
import type { EngineOptions } from './ports';
import { interruptedRuns } from './recovery';
import { SessionRunHost } from './runHost';
import type { SessionRuntime } from './sessionRuntime';

interface ActiveRun {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** The loops of one session: starts them, stops them when their run has ended, and waits for them. */
export class SessionHost {
  readonly runtime: SessionRuntime;
  readonly style: StyleFacade;
  readonly jobs: Jobs;
  readonly #options: EngineOptions;
  readonly #live: (update: LiveUpdate) => void;
  readonly #others: () => readonly State[];
  readonly #onLoopEnd: () => void;
  readonly #active = new Map<RunId, ActiveRun>();
  /** Runs that were let through after an interruption and whose loop hasn't begun yet. */
  readonly #resumed = new Set<RunId>();
  /** Runs that could not even be ended: a fault of ours, which must not be tried again for ever. */
  readonly #broken = new Set<RunId>();
  #ready = false;
  #held: ReadonlySet<RunId> = new Set();

  constructor(parts: {
    readonly runtime: SessionRuntime;
    readonly style: StyleFacade;
    readonly options: EngineOptions;
    readonly live: (update: LiveUpdate) => void;
    readonly others: () => readonly State[];
    readonly onLoopEnd: () => void;
  }) {
    this.runtime = parts.runtime;
    this.style = parts.style;
    this.#options = parts.options;
    this.#live = parts.live;
    this.#others = parts.others;
    this.#onLoopEnd = parts.onLoopEnd;
    this.jobs = new Jobs(parts.runtime, parts.options, parts.live);
  }

  /** Nothing is started or launched before the session is ready, or after it has begun to close. */
  get isReady(): boolean {
    return this.#ready && this.runtime.failure === null;
  }

  /** A session that can't be written any more is no longer at work, though its last durable state says so. */
  get holdsSlots(): boolean {
    return this.runtime.failure === null || this.#active.size > 0;
  }

  /** @param held queued runs that wait until the person has decided on every interrupted one */
  open(held: readonly RunId[] = []): void {
    this.#ready = true;
    this.#held = new Set(held);
  }

  mayStart(runId: RunId): boolean {
    if (!this.isReady) return false;
    return !this.#held.has(runId) || interruptedRuns(this.runtime.state).length === 0;
  }

  isActive(runId: RunId): boolean {
    return this.#active.has(runId);
  }

  /** Starts the loop of a run that the state says is running. */
  launch(runId: RunId): void {
    if (this.#active.has(runId) || this.#broken.has(runId)) return;
    const controller = new AbortController();
    const resumed = this.#resumed.delete(runId);
    const done = this.#drive(runId, resumed, controller.signal).finally(() => {
      this.#active.delete(runId);
      if (this.#phaseOf(runId) !== 'parked') this.#giveBack(runId);
      this.#onLoopEnd();
    });
    this.#active.set(runId, { controller, done });
  }

  /** Runs that ended or were interrupted by a decision are stopped where they are, before the flush. */
  heed(events: readonly TeamEvent[]): void {
    this.jobs.heed(events);
    for (const event of events) {
      if (event.type === 'run.continued' && event.resumed) this.#resumed.add(event.runId);
      if (event.type !== 'run.ended' && event.type !== 'run.interrupted') continue;
      const active = this.#active.get(event.runId);
      // A parked run has no loop that would give back what it holds.
      if (active === undefined) this.#giveBack(event.runId);
      else active.controller.abort();
    }
  }

  /** Files that the run had written are free for others. */
  #giveBack(runId: RunId): void {
    const run = runOf(this.runtime.state, runId);
    const agent = run === undefined ? undefined : agentOf(this.runtime.state, run.agentId);
    if (agent !== undefined) this.#options.workspace.release(actorOf(this.runtime.id, agent, runId));
  }

  /**
   * Stops all loops and background commands and starts none any more. Answers the runs that were going on.
   * @param mayWrite whether what comes of it may still be recorded
   */
  close(mayWrite: boolean): readonly RunId[] {
    this.#ready = false;
    this.jobs.close(mayWrite && this.runtime.failure === null);
    for (const { controller } of this.#active.values()) controller.abort();
    return [...this.#active.keys()];
  }

  /** Resolves when no loop and no background command runs any more. */
  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.all([...this.#active.values()].map((run) => run.done));
    await this.jobs.idle();
  }

  async #drive(runId: RunId, resumed: boolean, signal: AbortSignal): Promise<void> {
    try {
      // Nothing is sent to a model for a run whose start could still be lost.
      await this.runtime.flushed();
      if (signal.aborted) return;
      const host = this.#hostOf(runId, resumed);
      if (host === null) return;
      await runLoop(host, signal).finally(() => host.dispose());
      await this.runtime.flushed();
    } catch (error) {
      this.#failed(runId, error);
    }
  }

  #hostOf(runId: RunId, resumed: boolean): SessionRunHost | null {
    const { runtime, style } = this;
    const run = must(runOf(runtime.state, runId), `run ${runId}`);
    const model = this.#options.models.client(run.model);
    if (model !== null) {
      const parts = {
        runtime,
        runId,
        options: this.#options,
        style,
        model,
        live: this.#live,
        others: this.#others,
        jobs: this.jobs,
        resumed,
      };
      return new SessionRunHost(parts);
    }
    const name = agentOf(runtime.state, run.agentId)?.name ?? run.agentId;
    this.#end(runId, `the model "${run.model}" of ${name} is not set up any more`);
    return null;
  }

  /** An error that reaches here is ours or the disk's. The run ends with it, visibly, if anything can still be written. */
  #failed(runId: RunId, error: unknown): void {
    this.#options.log.error(`run ${this.runtime.id}/${runId} failed`, error);
    if (this.runtime.failure !== null) return;
    try {
      this.#end(runId, error instanceof Error ? error.message : String(error));
    } catch (again) {
      this.#options.log.error(`run ${this.runtime.id}/${runId} could not be ended`, again);
      this.#broken.add(runId);
    }
  }

  #end(runId: RunId, detail: string): void {
    const text = this.runtime.store.keep('');
    this.runtime.dispatch({ type: 'end_run', runId, reason: 'error', detail, text, paths: [] });
  }

  #phaseOf(runId: RunId): string | null {
    return runOf(this.runtime.state, runId)?.phase.status ?? null;
  }
}
