import type { Emitter } from '../base/event';
import { fail, ok, type Result } from '../base/result';
import type { TeamEvent } from '../shared/events';
import type { RunId, SessionId } from '../shared/ids';
import { openRuns } from '../shared/lookup';
import type { State } from '../shared/state';
import type { SessionStore, WorkspaceStore } from '../store/port';
import type { Facts } from '../team/commands';
import type { EngineNotice, EngineProblem, LiveUpdate, SessionChange } from './engine';
import { replay } from './openSession';
import type { EngineOptions } from './ports';
import { recover } from './recovery';
import { Scheduler } from './scheduler';
import { SessionHost } from './sessionHost';
import { SessionRuntime } from './sessionRuntime';
import { settleUndos } from './undoWrites';

export interface SessionsParts {
  readonly options: EngineOptions;
  /** The store of the window as it is now; losing the right to write changes it. */
  readonly store: () => WorkspaceStore;
  readonly isWritable: () => boolean;
  readonly changes: Emitter<SessionChange>;
  readonly live: Emitter<LiveUpdate>;
  readonly notices: Emitter<EngineNotice>;
}

/** The sessions of one window that are in memory: how they come in, how they are closed, what they share. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #hosts = new Map<SessionId, SessionHost>();
  readonly #opening = new Map<SessionId, Promise<Result<State, EngineProblem>>>();
  /** Sessions of which the person was told that they can't be written. */
  readonly #failed = new Set<SessionId>();
  /** Sessions that are being deleted: nobody opens them any more. */
  readonly #removing = new Set<SessionId>();
  readonly scheduler: Scheduler;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.scheduler = new Scheduler(this.#hosts, parts.isWritable);
  }

  ids(): readonly SessionId[] {
    return [...this.#hosts.keys()];
  }

  get(id: SessionId): SessionHost | undefined {
    return this.#hosts.get(id);
  }

  open(id: SessionId): Promise<Result<State, EngineProblem>> {
    if (this.#removing.has(id)) return Promise.resolve(fail({ code: 'no_session', session: id }));
    // A session that is being recovered is not open yet, though it is there.
    const running = this.#opening.get(id);
    if (running !== undefined) return running;
    const host = this.#hosts.get(id);
    return host === undefined ? this.#opened(id, this.#load(id)) : Promise.resolve(ok(host.runtime.durable));
  }

  /** The session, opened for an act of the person; one that could not be written is tried anew. */
  async writable(id: SessionId): Promise<Result<SessionHost, EngineProblem>> {
    if (this.#removing.has(id)) return fail({ code: 'no_session', session: id });
    const before = this.#hosts.get(id);
    const failed = before !== undefined && before.runtime.failure !== null && !this.#opening.has(id);
    // Perhaps they have made room on the disk.
    const opened = await (failed ? this.#opened(id, this.#reload(before)) : this.open(id));
    if (!opened.ok) return opened;
    const host = this.#hosts.get(id);
    return host === undefined ? fail({ code: 'no_session', session: id }) : ok(host);
  }

  adopt(
    id: SessionId,
    store: SessionStore,
    state: State,
    styleName: keyof EngineOptions['styles'],
  ): SessionHost {
    const { options, changes, live } = this.#parts;
    const style = options.styles[styleName];
    if (style === undefined) throw new Error(`the style "${styleName}" is not known to this version`);
    const runtime = new SessionRuntime({
      id,
      store,
      state,
      facts: () => this.#facts(id, style.policy, store),
      log: options.log,
      changes,
      onFailure: (error) => this.#onFailure(id, error),
      onDecided: (events) => this.#onDecided(id, events),
    });
    const host = new SessionHost({
      runtime,
      style,
      options,
      live: (update) => live.fire(update),
      others: () => this.#otherStates(id),
      onLoopEnd: () => this.scheduler.kick(),
    });
    this.#hosts.set(id, host);
    return host;
  }

  /** A session that did not come to be leaves nothing behind. */
  async discard(host: SessionHost): Promise<void> {
    const { id, store } = host.runtime;
    this.#hosts.delete(id);
    await store.close();
    await this.#parts.store().remove(id);
  }

  /**
   * Ends all that the session does and removes it with everything that was kept of it (L-49). One that can't be read
   * any more can still be removed.
   */
  async remove(id: SessionId): Promise<Result<null, EngineProblem>> {
    await this.#opening.get(id);
    const known = this.#hosts.has(id) || (await this.#parts.store().list()).some((each) => each.id === id);
    if (!known || this.#removing.has(id)) return fail({ code: 'no_session', session: id });
    this.#removing.add(id);
    try {
      const host = this.#hosts.get(id) ?? (await this.#broughtBack(id));
      const stopped = host === null ? null : await this.#ended(host);
      if (stopped !== null) return fail(stopped);
      this.#hosts.delete(id);
      this.#failed.delete(id);
      await this.#parts.store().remove(id);
      return ok(null);
    } catch (error) {
      this.#parts.options.log.error(`session ${id} could not be deleted`, error);
      return fail({ code: 'store', message: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#removing.delete(id);
      this.scheduler.kick();
    }
  }

  /** A session that isn't in memory, for its removal: what a dead host left of it is ended, and nothing goes on. */
  async #broughtBack(id: SessionId): Promise<SessionHost | null> {
    const { options, store } = this.#parts;
    try {
      const opened = await store().open(id);
      const state = await replay(opened, options.log);
      const host = this.adopt(id, opened.store, state, state.session?.style ?? 'room');
      await recover(host.runtime, options);
      return host;
    } catch (error) {
      options.log.warn(`session ${id} can't be read and is deleted as it is`, { error: String(error) });
      return null;
    }
  }

  /** Stops the whole team; null: it rests and its store is closed. */
  async #ended(host: SessionHost): Promise<EngineProblem | null> {
    const { runtime } = host;
    if (runtime.failure === null && runtime.state.session !== null) {
      const done = runtime.dispatch({ type: 'delete_session' });
      if (!done.ok) return { code: 'refused', refusal: done.error };
    }
    host.close(true);
    await host.idle();
    await runtime.store.close();
    return null;
  }

  async closeAll(mayWrite: boolean): Promise<void> {
    const going = [...this.#hosts.values()].map((host) => ({ host, runs: host.close(mayWrite) }));
    for (const { host, runs } of going) {
      // What streamed and what ran is recorded by the loops on their way out, as far as it had come.
      await host.idle();
      if (mayWrite) interruptRunning(host, runs);
      if (mayWrite && host.runtime.failure === null) {
        await host.runtime.flushed();
        await host.runtime.store.checkpoint();
      }
      await host.runtime.store.close();
    }
    this.#hosts.clear();
  }

  #opened(
    id: SessionId,
    loading: Promise<Result<State, EngineProblem>>,
  ): Promise<Result<State, EngineProblem>> {
    const opening = loading.finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #reload(host: SessionHost): Promise<Result<State, EngineProblem>> {
    const { id, store } = host.runtime;
    host.close(false);
    await host.idle();
    this.#hosts.delete(id);
    try {
      await store.close();
    } catch (error) {
      this.#parts.options.log.warn(`session ${id} could not be closed`, { error: String(error) });
    }
    const loaded = await this.#load(id);
    // What can't be read at all now stays to be seen as it was.
    if (!this.#hosts.has(id)) this.#hosts.set(id, host);
    return loaded;
  }

  async #load(id: SessionId): Promise<Result<State, EngineProblem>> {
    const { options, notices, isWritable, store } = this.#parts;
    try {
      const opened = await store().open(id);
      const state = await replay(opened, options.log);
      const host = this.adopt(id, opened.store, state, state.session?.style ?? 'room');
      for (const notice of opened.notices) notices.fire({ type: 'store', session: id, notice });
      if (isWritable()) await this.#revive(host);
      this.#failed.delete(id);
      return ok(host.runtime.durable);
    } catch (error) {
      options.log.error(`session ${id} could not be opened`, error);
      return fail({ code: 'store', message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #revive(host: SessionHost): Promise<void> {
    const { options, notices } = this.#parts;
    const session = host.runtime.id;
    const undos = await settleUndos(host.runtime, options);
    const { interrupted, survivors } = await recover(host.runtime, options);
    if (undos.length > 0) notices.fire({ type: 'undo_unknown', session, paths: undos });
    if (survivors.length > 0) notices.fire({ type: 'survivors_ended', session, commands: survivors });
    if (interrupted.length > 0) notices.fire({ type: 'interrupted', session, runs: interrupted });
    const choice = options.settings.resume();
    if (choice !== 'ask') host.runtime.dispatch({ type: 'resume', go: choice === 'auto', runs: null });
    // What had only been waiting goes on too when the person has decided on what was interrupted.
    host.open(queuedRuns(host.runtime.state));
    this.scheduler.kick();
  }

  #otherStates(id: SessionId): readonly State[] {
    return [...this.#hosts.values()]
      .filter((host) => host.runtime.id !== id && host.holdsSlots)
      .map((host) => host.runtime.state);
  }

  #facts(id: SessionId, policy: Facts['policy'], store: SessionStore): Facts {
    const { clock, settings, models, experts } = this.#parts.options;
    return {
      now: clock.now(),
      policy,
      cap: settings.cap(),
      model: (id) => models.facts(id),
      models: models.entries().map((entry) => entry.id),
      others: () => this.#otherStates(id),
      experts: experts.names(),
      subagentsEnabled: settings.subagentsEnabled(),
      build: (request) => experts.build(request, (text) => store.keep(text)),
    };
  }

  #onDecided(id: SessionId, events: readonly TeamEvent[]): void {
    const host = this.#hosts.get(id);
    if (host === undefined) return;
    host.heed(events);
    if (events.some((event) => LISTED.has(event.type))) this.#describe(host);
    this.scheduler.kick();
  }

  /** Not on the commit path: the index can be rebuilt. */
  #describe(host: SessionHost): void {
    const { session, open } = host.runtime.state;
    if (session === null) return;
    const { options, store } = this.#parts;
    const listing = {
      id: session.id,
      title: session.title,
      createdAt: session.createdAt,
      changedAt: options.clock.now(),
      style: session.style,
      open: open.runs.length > 0 || open.jobs.length > 0,
      archived: session.archived ?? false,
    };
    store()
      .describe(listing)
      .catch((error: unknown) => {
        options.log.warn('the list of sessions could not be updated', { error: String(error) });
      });
  }

  #onFailure(id: SessionId, error: Error): void {
    const host = this.#hosts.get(id);
    host?.close(false);
    // Said once, not at every try.
    if (this.#failed.has(id)) return;
    this.#failed.add(id);
    const detail = `"${host?.runtime.durable.session?.title ?? id}" can't be written any more: ${error.message}`;
    this.#parts.notices.fire({ type: 'failure', message: detail });
  }
}

/** Events after which the list of sessions is no longer right. */
const LISTED: ReadonlySet<TeamEvent['type']> = new Set([
  'session.created',
  'session.renamed',
  'session.archived',
  'run.queued',
  'run.ended',
  'run.interrupted',
  'job.started',
  'job.ended',
]);

/** Refused for a run that has ended or parked meanwhile. */
function interruptRunning({ runtime }: SessionHost, runs: readonly RunId[]): void {
  if (runtime.failure !== null) return;
  for (const runId of runs) runtime.dispatch({ type: 'interrupt_run', runId });
}

const queuedRuns = (state: State): readonly RunId[] =>
  openRuns(state).flatMap((run) => (run.phase.status === 'queued' ? [run.id] : []));
