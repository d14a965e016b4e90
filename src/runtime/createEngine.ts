import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import { fail, ok, type Result } from '../base/result';
import type { TeamEvent } from '../shared/events';
import type { AskId, CallId, RunId, SessionId } from '../shared/ids';
import { agentOf, openRuns } from '../shared/lookup';
import { initialState } from '../shared/reduce';
import type { AskAnswer, SessionSettings, State } from '../shared/state';
import type { Text } from '../shared/text';
import type { SessionListing, SessionStore, WorkspaceStore } from '../store/port';
import { StoreFailure } from '../store/port';
import type { Command, Facts } from '../team/commands';
import type {
  DelegateOptions,
  Engine,
  EngineAccess,
  EngineNotice,
  EngineProblem,
  LiveUpdate,
  SessionChange,
  SettingsPatch,
  UndoBy,
  UndoReport,
} from './engine';
import { replay } from './openSession';
import { patchCommands, refusalAmong } from './patching';
import type { EngineOptions } from './ports';
import { recover } from './recovery';
import { Scheduler } from './scheduler';
import { SessionHost } from './sessionHost';
import { SessionRuntime } from './sessionRuntime';
import { undoChanges } from './undo';

/** What a composition needs beside the `Engine` that views see: losing and regaining the right to write. */
export interface OwnedEngine extends Engine {
  /** Another window has the workspace now, or trust was given or taken: runs are interrupted, sessions reopened. */
  changeAccess(access: EngineAccess, store: WorkspaceStore | null): Promise<void>;
  /** Gives a suspended call its result from outside; its run goes on. Refused if it has one already. */
  resolveCall(session: SessionId, call: CallId, text: string): Promise<Result<null, EngineProblem>>;
  /** Nothing of the session gets on without the person: all has ended, or what is left waits for them. */
  isAtRest(session: SessionId): boolean;
}

export function createEngine(options: EngineOptions): OwnedEngine {
  return new TeamEngine(options);
}

class TeamEngine implements OwnedEngine {
  readonly #options: EngineOptions;
  readonly #hosts = new Map<SessionId, SessionHost>();
  readonly #opening = new Map<SessionId, Promise<Result<State, EngineProblem>>>();
  /** Sessions of which the person was told that they can't be written. */
  readonly #failed = new Set<SessionId>();
  readonly #scheduler: Scheduler;
  readonly #owned = new DisposableStore();
  readonly #changes: Emitter<SessionChange>;
  readonly #live: Emitter<LiveUpdate>;
  readonly #notices: Emitter<EngineNotice>;
  readonly #accessChanges: Emitter<EngineAccess>;
  #store: WorkspaceStore;
  #access: EngineAccess;
  #closing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#access = options.access;
    const onError = (error: unknown) => options.log.error('a listener failed', error);
    this.#changes = this.#owned.add(new Emitter<SessionChange>(onError));
    this.#live = this.#owned.add(new Emitter<LiveUpdate>(onError));
    this.#notices = this.#owned.add(new Emitter<EngineNotice>(onError));
    this.#accessChanges = this.#owned.add(new Emitter<EngineAccess>(onError));
    this.#scheduler = new Scheduler(this.#hosts, () => !this.#closing && this.#access.type === 'writable');
  }

  get access(): EngineAccess {
    return this.#access;
  }
  get onDidChangeAccess() {
    return this.#accessChanges.event;
  }
  get onDidChange() {
    return this.#changes.event;
  }
  get onLive() {
    return this.#live.event;
  }
  get onNotice() {
    return this.#notices.event;
  }

  listings(): Promise<readonly SessionListing[]> {
    return this.#store.list();
  }

  sessions(): readonly SessionId[] {
    return [...this.#hosts.keys()];
  }

  state(session: SessionId): State | null {
    return this.#hosts.get(session)?.runtime.durable ?? null;
  }

  open(session: SessionId): Promise<Result<State, EngineProblem>> {
    // A session that is being recovered is not open yet, though it is there.
    const running = this.#opening.get(session);
    if (running !== undefined) return running;
    const host = this.#hosts.get(session);
    if (host !== undefined) return Promise.resolve(ok(host.runtime.durable));
    return this.#opened(session, this.#load(session));
  }

  #opened(
    session: SessionId,
    loading: Promise<Result<State, EngineProblem>>,
  ): Promise<Result<State, EngineProblem>> {
    const opening = loading.finally(() => this.#opening.delete(session));
    this.#opening.set(session, opening);
    return opening;
  }

  async delegate(options: DelegateOptions): Promise<Result<SessionId, EngineProblem>> {
    const denied = this.#readOnly();
    if (denied !== null) return fail(denied);
    const { models, settings } = this.#options;
    const model = options.model ?? models.defaultModel();
    if (model === null || models.facts(model) === null) return fail({ code: 'no_model', model });
    const id = this.#options.newSessionId() as SessionId;
    const store = await this.#store.create(id);
    const style = options.style ?? 'room';
    const host = this.#adopt(id, store, initialState, style);
    const limits = { ...settings.limits(), ...options.limits };
    const size = options.size ?? settings.defaultSize();
    const created = this.#do(host, {
      type: 'create_session',
      id,
      style,
      kind: 'team',
      title: options.title ?? titleOf(options.task),
      model,
      settings: { size, mode: options.mode ?? settings.mode(), limits },
    });
    const said = created.ok ? this.#do(host, { type: 'say', text: store.keep(options.task) }) : created;
    if (!said.ok) {
      this.#hosts.delete(id);
      await store.close();
      await this.#store.remove(id);
      return said;
    }
    host.open();
    this.#scheduler.kick();
    const flushed = await this.#flush(host);
    return flushed.ok ? ok(id) : flushed;
  }

  send(session: SessionId, to: string | null, text: string): Promise<Result<null, EngineProblem>> {
    return this.#act(session, (host) => {
      const kept = host.runtime.store.keep(text);
      return to === null ? { type: 'say', text: kept } : { type: 'say_to', to, text: kept };
    });
  }

  async stop(session: SessionId, name: string): Promise<Result<readonly string[], EngineProblem>> {
    const host = await this.#writable(session);
    if (!host.ok) return host;
    const done = this.#do(host.value, name === 'all' ? { type: 'stop_all' } : { type: 'stop', name });
    if (!done.ok) return done;
    const flushed = await this.#flush(host.value);
    return flushed.ok ? ok(stoppedNames(host.value.runtime.state, done.value)) : flushed;
  }

  async resume(
    session: SessionId,
    go: boolean,
    runs: readonly RunId[] | null,
  ): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'resume', go, runs }));
  }

  answer(
    session: SessionId,
    askId: AskId,
    answer: AskAnswer,
    argsHash: string | null,
  ): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'answer_ask', askId, argsHash, answer }));
  }

  async undo(
    session: SessionId,
    agent: UndoBy,
    path: string | null,
  ): Promise<Result<UndoReport, EngineProblem>> {
    const host = await this.#writable(session);
    return host.ok ? undoChanges(host.value.runtime, this.#options, agent, path) : host;
  }

  async settings(session: SessionId, patch: SettingsPatch): Promise<Result<SessionSettings, EngineProblem>> {
    const host = await this.#writable(session);
    if (!host.ok) return host;
    const { runtime } = host.value;
    const now = runtime.state.session?.settings;
    if (now === undefined) return fail({ code: 'no_session', session });
    // All of the patch or nothing: a bad part must not leave the others behind.
    const commands = patchCommands(patch, now);
    const refusal = refusalAmong(runtime.state, commands, runtime.facts());
    if (refusal !== null) return fail({ code: 'refused', refusal });
    for (const command of commands) {
      const done = this.#do(host.value, command);
      if (!done.ok) return done;
    }
    const flushed = await this.#flush(host.value);
    if (!flushed.ok) return flushed;
    return ok(runtime.state.session?.settings ?? now);
  }

  rename(session: SessionId, title: string): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'rename', title }));
  }

  async readText(session: SessionId, text: Text): Promise<string> {
    if (text.type === 'inline') return text.text;
    return this.#mustHave(session).runtime.store.read(text);
  }

  async readBlob(session: SessionId, blob: string): Promise<Uint8Array> {
    return this.#mustHave(session).runtime.store.readBytes(blob as Parameters<SessionStore['readBytes']>[0]);
  }

  async takeOver(): Promise<Result<null, EngineProblem>> {
    if (this.#access.type === 'writable') return ok(null);
    const taken = await this.#options.takeOver();
    if (!taken.ok) return fail({ code: 'read_only', why: taken.error });
    await this.changeAccess({ type: 'writable' }, taken.value);
    return ok(null);
  }

  async changeAccess(access: EngineAccess, store: WorkspaceStore | null): Promise<void> {
    const sessions = this.sessions();
    // What another window holds now must not be written to, not even to say that it was interrupted.
    await this.#closeSessions(access.type === 'writable' || access.why === 'untrusted');
    if (store !== null) this.#store = store;
    this.#access = access;
    this.#accessChanges.fire(access);
    for (const session of sessions) await this.open(session);
  }

  async resolveCall(session: SessionId, callId: CallId, text: string): Promise<Result<null, EngineProblem>> {
    return this.#act(session, (host) => ({
      type: 'finish_call',
      callId,
      result: { status: 'ok', text: host.runtime.store.keep(text) },
      statusCall: false,
    }));
  }

  isAtRest(session: SessionId): boolean {
    return this.#scheduler.isAtRest(session);
  }

  async dispose(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    await this.#closeSessions(this.#access.type === 'writable');
    await this.#store.dispose();
    this.#owned.dispose();
  }

  // ---- opening and closing ----

  async #reload(host: SessionHost): Promise<Result<State, EngineProblem>> {
    const { id, store } = host.runtime;
    host.close();
    await host.idle();
    this.#hosts.delete(id);
    try {
      await store.close();
    } catch (error) {
      this.#options.log.warn(`session ${id} could not be closed`, { error: String(error) });
    }
    const loaded = await this.#load(id);
    // What can't be read at all now stays to be seen as it was.
    if (!this.#hosts.has(id)) this.#hosts.set(id, host);
    return loaded;
  }

  async #load(session: SessionId): Promise<Result<State, EngineProblem>> {
    try {
      const opened = await this.#store.open(session);
      const state = await replay(opened, this.#options.log);
      const host = this.#adopt(session, opened.store, state, state.session?.style ?? 'room');
      for (const notice of opened.notices) this.#notices.fire({ type: 'store', session, notice });
      if (this.#access.type === 'writable') await this.#revive(host);
      this.#failed.delete(session);
      return ok(host.runtime.durable);
    } catch (error) {
      this.#options.log.error(`session ${session} could not be opened`, error);
      return fail({ code: 'store', message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #revive(host: SessionHost): Promise<void> {
    const session = host.runtime.id;
    const { interrupted, survivors } = await recover(host.runtime, this.#options);
    if (survivors.length > 0) this.#notices.fire({ type: 'survivors_ended', session, commands: survivors });
    if (interrupted.length > 0) this.#notices.fire({ type: 'interrupted', session, runs: interrupted });
    const choice = this.#options.settings.resume();
    if (choice !== 'ask') this.#do(host, { type: 'resume', go: choice === 'auto', runs: null });
    // What had only been waiting goes on too when the person has decided on what was interrupted.
    host.open(queuedRuns(host.runtime.state));
    this.#scheduler.kick();
  }

  #adopt(
    id: SessionId,
    store: SessionStore,
    state: State,
    styleName: keyof EngineOptions['styles'],
  ): SessionHost {
    const style = this.#options.styles[styleName];
    if (style === undefined) throw new Error(`the style "${styleName}" is not known to this version`);
    const runtime = new SessionRuntime({
      id,
      store,
      state,
      facts: () => this.#facts(style.policy, store),
      log: this.#options.log,
      changes: this.#changes,
      onFailure: (error) => this.#onFailure(id, error),
      onDecided: (events) => this.#onDecided(id, events),
    });
    const host = new SessionHost({
      runtime,
      style,
      options: this.#options,
      live: (update) => this.#live.fire(update),
      others: () => this.#otherStates(id),
      onLoopEnd: () => this.#scheduler.kick(),
    });
    this.#hosts.set(id, host);
    return host;
  }

  #otherStates(id: SessionId): readonly State[] {
    return [...this.#hosts.values()]
      .filter((host) => host.runtime.id !== id && host.holdsSlots)
      .map((host) => host.runtime.state);
  }

  async #closeSessions(mayWrite: boolean): Promise<void> {
    const going = [...this.#hosts.values()].map((host) => ({ host, runs: host.close() }));
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

  // ---- deciding ----

  #facts(policy: Facts['policy'], store: SessionStore): Facts {
    const { clock, settings, models, experts } = this.#options;
    return {
      now: clock.now(),
      policy,
      cap: settings.cap(),
      model: (id) => models.facts(id),
      models: models.entries().map((entry) => entry.id),
      experts: experts.names(),
      subagentsEnabled: settings.subagentsEnabled(),
      build: (request) => experts.build(request, (text) => store.keep(text)),
    };
  }

  #do(host: SessionHost, command: Command): Result<readonly TeamEvent[], EngineProblem> {
    const done = host.runtime.dispatch(command);
    return done.ok ? ok(done.events) : fail({ code: 'refused', refusal: done.error });
  }

  /** One act of the person: decided, and durable when it resolves. */
  async #act(session: SessionId, make: (host: SessionHost) => Command): Promise<Result<null, EngineProblem>> {
    const host = await this.#writable(session);
    if (!host.ok) return host;
    const done = this.#do(host.value, make(host.value));
    return done.ok ? this.#flush(host.value) : done;
  }

  async #writable(session: SessionId): Promise<Result<SessionHost, EngineProblem>> {
    const denied = this.#readOnly();
    if (denied !== null) return fail(denied);
    const before = this.#hosts.get(session);
    const failed = before !== undefined && before.runtime.failure !== null && !this.#opening.has(session);
    // The person tries again: perhaps they have made room on the disk.
    const opened = await (failed ? this.#opened(session, this.#reload(before)) : this.open(session));
    if (!opened.ok) return opened;
    const host = this.#hosts.get(session);
    return host === undefined ? fail({ code: 'no_session', session }) : ok(host);
  }

  async #flush(host: SessionHost): Promise<Result<null, EngineProblem>> {
    try {
      await host.runtime.flushed();
      return ok(null);
    } catch (error) {
      return fail({ code: 'store', message: error instanceof Error ? error.message : String(error) });
    }
  }

  #readOnly(): EngineProblem | null {
    return this.#access.type === 'writable' ? null : { code: 'read_only', why: this.#access.why };
  }

  #mustHave(session: SessionId): SessionHost {
    const host = this.#hosts.get(session);
    if (host === undefined) throw new StoreFailure('closed', `session ${session} is not open`);
    return host;
  }

  #onDecided(id: SessionId, events: readonly TeamEvent[]): void {
    const host = this.#hosts.get(id);
    if (host === undefined) return;
    host.heed(events);
    if (events.some((event) => LISTED.has(event.type))) this.#describe(host);
    this.#scheduler.kick();
  }

  /** Not on the commit path: the index can be rebuilt. */
  #describe(host: SessionHost): void {
    const { session, open } = host.runtime.state;
    if (session === null) return;
    const listing = {
      id: session.id,
      title: session.title,
      createdAt: session.createdAt,
      changedAt: this.#options.clock.now(),
      style: session.style,
      open: open.runs.length > 0,
    };
    this.#store.describe(listing).catch((error: unknown) => {
      this.#options.log.warn('the list of sessions could not be updated', { error: String(error) });
    });
  }

  #onFailure(id: SessionId, error: Error): void {
    const host = this.#hosts.get(id);
    host?.close();
    // Said once, not at every try.
    if (this.#failed.has(id)) return;
    this.#failed.add(id);
    const detail = `"${host?.runtime.durable.session?.title ?? id}" can't be written any more: ${error.message}`;
    this.#notices.fire({ type: 'failure', message: detail });
  }
}

/** Events after which the list of sessions is no longer right. */
const LISTED: ReadonlySet<TeamEvent['type']> = new Set([
  'session.created',
  'session.renamed',
  'run.queued',
  'run.ended',
  'run.interrupted',
]);

/** Refused for a run that has ended or parked meanwhile. */
function interruptRunning({ runtime }: SessionHost, runs: readonly RunId[]): void {
  if (runtime.failure !== null) return;
  for (const runId of runs) runtime.dispatch({ type: 'interrupt_run', runId });
}

const queuedRuns = (state: State): readonly RunId[] =>
  openRuns(state).flatMap((run) => (run.phase.status === 'queued' ? [run.id] : []));

function stoppedNames(state: State, events: readonly TeamEvent[]): readonly string[] {
  const ids = events.flatMap((event) => (event.type === 'agent.left' ? [event.agentId] : []));
  return ids.flatMap((id) => agentOf(state, id)?.name ?? []);
}

const LONGEST_TITLE = 60;

/** The first line of the task, at a word's end. */
function titleOf(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? '';
  if (line.length <= LONGEST_TITLE) return line === '' ? 'Untitled' : line;
  return `${line.slice(0, LONGEST_TITLE).replace(/\s+\S*$/, '')}…`;
}
