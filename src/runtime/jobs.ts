import type { TeamEvent } from '../shared/events';
import type { AgentId, CallId, JobId, RunId } from '../shared/ids';
import { agentOf, jobOf } from '../shared/lookup';
import type { Job, JobEnd } from '../shared/state';
import { helperJobsOf } from '../team/helperJobs';
import { jobsOf, MOST_JOBS, runningJobs } from '../team/jobs';
import type { CommandWatch } from '../workspace/attributionPort';
import type { BackgroundCommand, BackgroundEnd, BackgroundRequest, ProcessGroup } from '../workspace/port';
import { actorOf } from './actor';
import { watchCommand } from './commandChanges';
import type { LiveUpdate } from './engine';
import { JobOutput, type OutputPart, partFrom } from './jobOutput';
import { commandLine, helperLine, jobEndWords } from './jobWording';
import { must } from './must';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';
import type { JobLine, JobPort, JobReading, JobStart } from './toolPorts';
import { changesUnknownBriefly } from './wording';

/** The call that starts a command. */
export interface JobCaller {
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly callId: CallId;
}

interface LiveJob {
  readonly id: JobId;
  readonly output: JobOutput;
  readonly stop: AbortController;
  /** Called when something has come or the command has ended. */
  readonly listeners: Set<() => void>;
  command: BackgroundCommand | null;
  /** Finds out what it changes. */
  readonly watch: CommandWatch;
}

/** Longest part of an output that one reading gives, in characters. */
const READ_CHARS = 20_000;
/** How much of its end is told with the word that a command has ended. */
const TOLD_CHARS = 2000;

type Options = Pick<EngineOptions, 'shell' | 'clock' | 'log' | 'attribution' | 'workspace'>;

/**
 * The commands of one session that run in the background: starts them, keeps their output, ends them when a decision
 * says so, and records how they ended. What is decided about them, and who is told, is in the state.
 */
export class Jobs {
  readonly #runtime: SessionRuntime;
  readonly #options: Options;
  readonly #live: (update: LiveUpdate) => void;
  readonly #jobs = new Map<JobId, LiveJob>();
  /** Commands that are being started or whose end is being recorded. */
  readonly #busy = new Set<Promise<unknown>>();
  #mayWrite = true;

  constructor(runtime: SessionRuntime, options: Options, live: (update: LiveUpdate) => void) {
    this.#runtime = runtime;
    this.#options = options;
    this.#live = live;
  }

  /** What a call may do with its agent's jobs. */
  portOf(caller: JobCaller, signal: AbortSignal, words: JobPort['words']): JobPort {
    return {
      start: (request) => this.#kept(this.#start(caller, request, signal)),
      list: () => this.#list(caller.agentId),
      read: (id, since, waitMs) => this.#read(caller.agentId, id, since, waitMs, signal),
      send: async (id, text, close) => {
        const job = this.#own(caller.agentId, id);
        if (job === null) return null;
        const command = this.#jobs.get(job.id)?.command ?? null;
        return job.phase.status !== 'running' || command === null ? 'ended' : command.write(text, close);
      },
      stop: (id) => this.#stop(caller.agentId, id),
      words,
    };
  }

  /** What was decided to end is ended, before the flush. */
  heed(events: readonly TeamEvent[]): void {
    for (const event of events) if (event.type === 'job.stopping') this.#jobs.get(event.jobId)?.stop.abort();
  }

  /** Ends all. @param mayWrite whether that may still be recorded; else the next host finds out by itself */
  close(mayWrite: boolean): void {
    this.#mayWrite = mayWrite;
    if (mayWrite && this.#jobs.size > 0) this.#runtime.dispatch({ type: 'close_jobs' });
    for (const { stop } of this.#jobs.values()) stop.abort();
  }

  /** Resolves when nothing runs any more and all ends are recorded as far as they can be. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
  }

  #list(agentId: AgentId): readonly JobLine[] {
    const { state } = this.#runtime;
    const now = this.#options.clock.now();
    const commands = jobsOf(state, agentId).map((job) => commandLine(job, now));
    return [...commands, ...helperJobsOf(state, agentId).map((job) => helperLine(job, now))];
  }

  #kept<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    const done = () => this.#busy.delete(work);
    work.then(done, done);
    return work;
  }

  async #start(caller: JobCaller, request: BackgroundRequest, signal: AbortSignal): Promise<JobStart> {
    const { state } = this.#runtime;
    if (runningJobs(state, caller.agentId).length >= MOST_JOBS) return { type: 'too_many', most: MOST_JOBS };
    const output = new JobOutput();
    const stop = new AbortController();
    const onStop = () => stop.abort();
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) stop.abort();
    const watch = await this.#watch(caller, request);
    let live: LiveJob | null = null;
    const intent = async (group: ProcessGroup): Promise<void> => {
      const recorded = this.#record(caller, request, group);
      live = { id: recorded.id, output, stop, listeners: new Set(), command: null, watch };
      this.#jobs.set(recorded.id, live);
      await recorded.flushed;
    };
    const onOutput = (chunk: string) => {
      output.add(chunk);
      for (const listener of live?.listeners ?? []) listener();
      const { agentId: agent, runId: run, callId: call } = caller;
      this.#live({ session: this.#runtime.id, agent, run, type: 'output', call, chunk });
    };
    try {
      const begun = await this.#options.shell.start(request, intent, onOutput, stop.signal);
      if (begun.type === 'not_started') {
        if (live === null) await watch.end();
        else await this.#end(live, NOT_BEGUN, 0);
        return begun;
      }
      return { type: 'started', id: this.#follow(live, begun.command) };
    } catch (error) {
      // Nothing has run. If it had been recorded the disk has failed, and the next host ends it.
      this.#forget(live);
      await watch.end();
      throw error;
    } finally {
      signal.removeEventListener('abort', onStop);
    }
  }

  #forget(live: LiveJob | null): void {
    if (live !== null) this.#jobs.delete(live.id);
  }

  #watch({ agentId, runId, callId }: JobCaller, request: BackgroundRequest): Promise<CommandWatch> {
    const runtime = this.#runtime;
    const agent = must(agentOf(runtime.state, agentId), `agent ${agentId}`);
    const mayRecord = () => this.#mayWrite;
    const actor = actorOf(runtime.id, agent, runId);
    return watchCommand({ runtime, callId, actor, options: this.#options, mayRecord }, request);
  }

  #record(
    { callId }: JobCaller,
    { command, cwd }: BackgroundRequest,
    group: ProcessGroup,
  ): { readonly id: JobId; readonly flushed: Promise<void> } {
    const { pgid, startedAt: processStart } = group;
    const decided = this.#runtime.dispatch({
      type: 'start_job',
      callId,
      command,
      cwd: cwd.shown,
      pgid,
      processStart,
    });
    if (!decided.ok) throw new Error(`the call can't act any more (${decided.error.code})`);
    const started = decided.events.find((event) => event.type === 'job.started');
    if (started?.type !== 'job.started') throw new Error('a command was not recorded');
    return { id: started.job.id, flushed: decided.flushed };
  }

  #follow(live: LiveJob | null, command: BackgroundCommand): JobId {
    if (live === null) throw new Error('a command runs without its intent');
    live.command = command;
    this.#kept(command.ended.then((end) => this.#end(live, endOf(end), end.durationMs))).catch(
      (error: unknown) => {
        // The disk: that is told by itself, and the next host ends the job as unknown.
        this.#options.log.info(`the end of ${live.id} was not recorded`, { error: String(error) });
      },
    );
    return live.id;
  }

  async #end(live: LiveJob, how: Omit<JobEnd, 'output' | 'from'>, ranMs: number): Promise<void> {
    const { store } = this.#runtime;
    try {
      const end = (await live.watch.end()) ? how : { ...how, detail: how.detail ?? changesUnknownBriefly };
      const job = jobOf(this.#runtime.state, live.id);
      if (!this.#mayWrite || this.#runtime.failure !== null || job === undefined) return;
      const { text, from } = live.output.whole();
      const told = partFrom({ text, from }, live.output.total - TOLD_CHARS, TOLD_CHARS);
      const words = jobEndWords(job, end, { ranMs, tail: told.text.toWellFormed(), cut: told.from > 0 });
      this.#runtime.dispatch({
        type: 'end_job',
        jobId: live.id,
        end: { ...end, output: store.keep(text), from },
        words: store.keep(words),
        wake: true,
      });
      await this.#runtime.flushed();
    } finally {
      this.#jobs.delete(live.id);
      for (const listener of live.listeners) listener();
    }
  }

  /** Members' and other agents' commands are not found (L-46). */
  #own(agentId: AgentId, id: string): Job | null {
    const job = jobOf(this.#runtime.state, id as JobId);
    return job?.agentId === agentId && id.startsWith('j') ? job : null;
  }

  async #read(
    agentId: AgentId,
    id: string,
    since: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<JobReading | null> {
    const job = this.#own(agentId, id);
    if (job === null) return this.#readHelper(agentId, id);
    const live = this.#jobs.get(job.id);
    if (live !== undefined && waitMs > 0) await this.#ended(live, waitMs, signal);
    const now = jobOf(this.#runtime.state, job.id) ?? job;
    const kept = await this.#keptOf(now);
    const { text, from } = partFrom(kept, since, READ_CHARS);
    const next = from + text.length;
    const rest = kept.from + kept.text.length - next;
    const line = commandLine(now, this.#options.clock.now());
    return { ...line, text: text.toWellFormed(), from, next, rest };
  }

  async #readHelper(agentId: AgentId, name: string): Promise<JobReading | null> {
    const job = helperJobsOf(this.#runtime.state, agentId).find(({ id }) => id === name);
    if (job === undefined) return null;
    const words = job.end?.text ?? null;
    const text =
      words === null ? '' : words.type === 'inline' ? words.text : await this.#runtime.store.read(words);
    return { ...helperLine(job, this.#options.clock.now()), text, from: 0, next: text.length, rest: 0 };
  }

  async #keptOf({ id, phase }: Job): Promise<OutputPart> {
    if (phase.status !== 'ended') return this.#jobs.get(id)?.output.whole() ?? { text: '', from: 0 };
    const { output, from } = phase.end;
    return {
      text: output.type === 'inline' ? output.text : await this.#runtime.store.read(output),
      from,
    };
  }

  /** Resolves when the command has ended, or after this time. */
  #ended(live: LiveJob, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer.dispose();
        live.listeners.delete(look);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const look = () => {
        if (!this.#jobs.has(live.id)) done();
      };
      const timer = this.#options.clock.after(waitMs, done);
      live.listeners.add(look);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  async #stop(agentId: AgentId, id: string): Promise<'stopped' | 'ended' | null> {
    const job = this.#own(agentId, id);
    if (job === null) return null;
    const live = this.#jobs.get(job.id);
    const decided = this.#runtime.dispatch({ type: 'stop_job', by: agentId, jobId: job.id });
    if (!decided.ok && live === undefined) return 'ended';
    if (live !== undefined) await new Promise<void>((resolve) => this.#whenGone(live, resolve));
    return 'stopped';
  }

  #whenGone(live: LiveJob, gone: () => void): void {
    const look = () => {
      if (this.#jobs.has(live.id)) return;
      live.listeners.delete(look);
      gone();
    };
    live.listeners.add(look);
    look();
  }
}

const NOT_BEGUN = { how: 'not_begun', exitCode: null, signal: null, detail: null } as const;

const endOf = ({ status, exitCode, signal, why }: BackgroundEnd): Omit<JobEnd, 'output' | 'from'> => ({
  how: status,
  exitCode,
  signal,
  detail: why ?? null,
});
