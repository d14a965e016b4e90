import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import { fail, ok, type Result } from '../base/result';
import type { TeamEvent } from '../shared/events';
import type { AskId, CallId, MessageId, ModelId, OutcomeId, RunId, SessionId, StepId } from '../shared/ids';
import { agentOf, runOf, stepOf } from '../shared/lookup';
import { initialState } from '../shared/reduce';
import type { AskAnswer, SessionSettings, State } from '../shared/state';
import type { Text } from '../shared/text';
import type { SessionListing, SessionStore, WorkspaceStore } from '../store/port';
import { StoreFailure } from '../store/port';
import type { Command } from '../team/commands';
import type {
  DelegateOptions,
  Engine,
  EngineAccess,
  EngineNotice,
  EngineProblem,
  LiveUpdate,
  SessionChange,
  SettingsPatch,
  UndoReport,
  UndoWhat,
} from './engine';
import { exactRequest } from './exactRequest';
import { patchCommands, refusalAmong } from './patching';
import type { EngineOptions } from './ports';
import type { SessionHost } from './sessionHost';
import { Sessions } from './sessions';
import { Undoing } from './undo';

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

const RECORDS_PER_PAGE = 1000;

class TeamEngine implements OwnedEngine {
  readonly #options: EngineOptions;
  readonly #sessions: Sessions;
  readonly #undoing: Undoing;
  readonly #owned = new DisposableStore();
  readonly #changes: Emitter<SessionChange>;
  readonly #live: Emitter<LiveUpdate>;
  readonly #notices: Emitter<EngineNotice>;
  readonly #deletions: Emitter<SessionId>;
  readonly #accessChanges: Emitter<EngineAccess>;
  #store: WorkspaceStore;
  #access: EngineAccess;
  #closing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#undoing = new Undoing(options);
    this.#store = options.store;
    this.#access = options.access;
    const onError = (error: unknown) => options.log.error('a listener failed', error);
    this.#changes = this.#owned.add(new Emitter<SessionChange>(onError));
    this.#live = this.#owned.add(new Emitter<LiveUpdate>(onError));
    this.#notices = this.#owned.add(new Emitter<EngineNotice>(onError));
    this.#deletions = this.#owned.add(new Emitter<SessionId>(onError));
    this.#accessChanges = this.#owned.add(new Emitter<EngineAccess>(onError));
    this.#sessions = new Sessions({
      options,
      store: () => this.#store,
      isWritable: () => !this.#closing && this.#access.type === 'writable',
      changes: this.#changes,
      live: this.#live,
      notices: this.#notices,
    });
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
  get onDidDelete() {
    return this.#deletions.event;
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
    return this.#sessions.ids();
  }

  state(session: SessionId): State | null {
    return this.#sessions.get(session)?.runtime.durable ?? null;
  }

  open(session: SessionId): Promise<Result<State, EngineProblem>> {
    return this.#sessions.open(session);
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
    const host = this.#sessions.adopt(id, store, initialState, style);
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
      await this.#sessions.discard(host);
      return said;
    }
    host.open();
    this.#sessions.scheduler.kick();
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

  async undo(session: SessionId, what: UndoWhat): Promise<Result<UndoReport, EngineProblem>> {
    const host = await this.#writable(session);
    return host.ok ? this.#undoing.run(host.value.runtime, what) : host;
  }

  accept(session: SessionId, outcome: OutcomeId): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'accept', outcome }));
  }

  requestChanges(session: SessionId, outcome: OutcomeId, text: string): Promise<Result<null, EngineProblem>> {
    return this.#act(session, (host) => ({
      type: 'request_changes',
      outcome,
      text: host.runtime.store.keep(text),
    }));
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

  pause(session: SessionId, paused: boolean): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'pause', paused }));
  }

  retry(session: SessionId, runId: RunId, model: ModelId | null): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'retry', runId, model }));
  }

  tellLead(session: SessionId): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'tell_lead' }));
  }

  rename(session: SessionId, title: string): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'rename', title }));
  }

  archive(session: SessionId, archived: boolean): Promise<Result<null, EngineProblem>> {
    return this.#act(session, () => ({ type: 'archive', archived }));
  }

  async deleteSession(session: SessionId): Promise<Result<null, EngineProblem>> {
    const denied = this.#readOnly();
    if (denied !== null) return fail(denied);
    const removed = await this.#sessions.remove(session);
    if (removed.ok) this.#deletions.fire(session);
    return removed;
  }

  async exactRequest(session: SessionId, step: StepId): Promise<Result<string, EngineProblem>> {
    const opened = await this.open(session);
    if (!opened.ok) return opened;
    const body = await exactRequest(this.#mustHave(session), this.#options, step);
    if (body !== null) return ok(body);
    const model = stepOf(opened.value, step)?.model;
    return fail(model === undefined ? { code: 'no_step', step } : { code: 'no_model', model });
  }

  async search(session: SessionId, words: string, limit: number): Promise<readonly MessageId[]> {
    const hits = await this.#mustHave(session).runtime.store.searchMessages(words, limit);
    return hits.map((hit) => hit.id as MessageId);
  }

  async *records(session: SessionId): AsyncGenerator<readonly string[], void> {
    for (let from = 1; ; ) {
      const rows = await this.#mustHave(session).runtime.store.pageEvents(from, RECORDS_PER_PAGE);
      if (rows.length === 0) return;
      yield rows.map((row) => row.json);
      from = (rows.at(-1)?.seq ?? from) + 1;
    }
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
    await this.#sessions.closeAll(access.type === 'writable' || access.why === 'untrusted');
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
    return this.#sessions.scheduler.isAtRest(session);
  }

  async dispose(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    await this.#sessions.closeAll(this.#access.type === 'writable');
    await this.#store.dispose();
    this.#owned.dispose();
  }

  // ---- deciding ----

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
    return this.#sessions.writable(session);
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
    const host = this.#sessions.get(session);
    if (host === undefined) throw new StoreFailure('closed', `session ${session} is not open`);
    return host;
  }
}

/** Who was stopped: whose run ended by it, and who left the team with it. */
function stoppedNames(state: State, events: readonly TeamEvent[]): readonly string[] {
  const ids = events.flatMap((event) => {
    if (event.type === 'agent.left') return [event.agentId];
    return event.type === 'run.ended' ? (runOf(state, event.runId)?.agentId ?? []) : [];
  });
  return [...new Set(ids)].flatMap((id) => agentOf(state, id)?.name ?? []);
}

const LONGEST_TITLE = 60;

/** The first line of the task, at a word's end. */
function titleOf(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? '';
  if (line.length <= LONGEST_TITLE) return line === '' ? 'Untitled' : line;
  return `${line.slice(0, LONGEST_TITLE).replace(/\s+\S*$/, '')}…`;
}
