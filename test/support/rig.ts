import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import type { Log } from '../../src/base/log';
import { values } from '../../src/base/table';
import { composeEngine, type HostParts } from '../../src/host/composeEngine';
import type { ModelEntry } from '../../src/model/port';
import type { OwnedEngine } from '../../src/runtime/createEngine';
import type { DelegateOptions, EngineNotice } from '../../src/runtime/engine';
import type { EngineOptions } from '../../src/runtime/ports';
import type { ModelId, SessionId } from '../../src/shared/ids';
import { activeRunOf, agentNamed, leadOf, openAsks, openRuns, runOf } from '../../src/shared/lookup';
import type { Ask, AskAnswer, PermissionMode, State } from '../../src/shared/state';
import { inProcessHistory } from '../../src/store/inProcessHistory';
import { mayGoOn } from '../../src/team/slots';
import { Gateway, noEditor } from '../../src/workspace/gateway';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './scriptedModel';

export interface RigOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly mode?: PermissionMode;
  readonly parallel?: number | null;
  readonly price?: ModelEntry['price'];
  readonly server?: ScriptedModelOptions;
  readonly parts?: Partial<HostParts>;
  readonly settings?: Partial<HostParts['settings']>;
  /** Replaces parts of the engine: a store that breaks, an extra tool. */
  readonly adapt?: (options: EngineOptions) => EngineOptions;
}

/** The headless engine on a real folder, a real journal and the scripted model server over HTTP. */
export class Rig {
  readonly server: ScriptedModel;
  readonly root: string;
  readonly workspace: string;
  readonly options: RigOptions;
  readonly errors: string[] = [];
  readonly notices: EngineNotice[] = [];
  /** Replaces the models that are set up. */
  entries: readonly ModelEntry[] | null = null;
  /** Text that streams now or has streamed last, by agent id. */
  readonly streamed = new Map<string, string>();
  /** Called at the end, before crashed engines are cleared away: lets go of what they hang on. */
  readonly onEnd: (() => void)[] = [];
  readonly #crashed: OwnedEngine[] = [];
  #gateway: Gateway | null = null;
  #engine: OwnedEngine | null = null;

  private constructor(server: ScriptedModel, root: string, options: RigOptions) {
    this.server = server;
    this.root = root;
    this.workspace = join(root, 'work');
    this.options = options;
  }

  static async start(options: RigOptions = {}): Promise<Rig> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-rig-')));
    const rig = new Rig(await startScriptedModel(options.server), root, options);
    await mkdir(rig.workspace);
    for (const [path, text] of Object.entries(options.files ?? {})) await rig.write(path, text);
    await rig.open();
    return rig;
  }

  get engine(): OwnedEngine {
    if (this.#engine === null) throw new Error('the engine is closed');
    return this.#engine;
  }

  get isOpen(): boolean {
    return this.#engine !== null;
  }

  /** Opens the engine on the state folder: the first time, or again after `close` or a crash. */
  async open(settings: Partial<HostParts['settings']> = {}): Promise<OwnedEngine> {
    const folders = [{ name: 'work', path: this.workspace }];
    const gateway = await Gateway.open({ folders, editor: noEditor, uniqueName: randomUUID });
    this.#gateway = gateway;
    const parts = this.#parts(gateway, settings);
    const engine = await composeEngine(parts, this.options.adapt);
    engine.onNotice((notice) => this.notices.push(notice));
    engine.onLive((update) => {
      if (update.type === 'thinking') this.streamed.delete(update.agent);
      if (update.type !== 'text') return;
      this.streamed.set(update.agent, (this.streamed.get(update.agent) ?? '') + update.delta);
    });
    this.#engine = engine;
    return engine;
  }

  async delegate(task: string, options: Partial<DelegateOptions> = {}): Promise<SessionId> {
    const done = await this.engine.delegate({ task, ...options });
    if (!done.ok) throw new Error(`not delegated: ${JSON.stringify(done.error)}`);
    return done.value;
  }

  /** Resolves with the first durable state that answers yes; no time limit but the test's own. */
  until(session: SessionId, holds: (state: State) => boolean): Promise<State> {
    const { engine } = this;
    return new Promise((resolve) => {
      const look = () => {
        const state = engine.state(session);
        if (state === null || !holds(state)) return;
        subscription.dispose();
        resolve(state);
      };
      const subscription = engine.onDidChange(look);
      look();
    });
  }

  /** Resolves when nothing moves any more: all has ended, or what is left waits for the person. */
  quiet(session: SessionId): Promise<State> {
    const { engine } = this;
    const isTold = (state: State) =>
      !openRuns(state).some((run) => run.phase.status === 'running' || mayGoOn(state, run));
    return this.until(session, (state) => isTold(state) && engine.isAtRest(session));
  }

  /** Resolves when the agent of this name has ended so many turns. */
  turns(session: SessionId, name: string, count: number): Promise<State> {
    return this.until(session, (state) => {
      const runs = (agentNamed(state, name)?.runs ?? []).flatMap((id) => runOf(state, id) ?? []);
      return runs.filter((run) => run.phase.status === 'ended').length >= count;
    });
  }

  /** Resolves when this text of the agent has come through, while its answer still streams. */
  hears(session: SessionId, name: string, text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        const state = this.engine.state(session);
        const agent = state === null ? undefined : agentNamed(state, name);
        if (agent === undefined || !(this.streamed.get(agent.id) ?? '').includes(text)) return;
        subscription.dispose();
        resolve();
      };
      const subscription = this.engine.onLive(look);
      look();
    });
  }

  /** Resolves when the agent's turn waits for the person. */
  parked(session: SessionId, name: string): Promise<State> {
    return this.until(session, (state) => {
      const agent = agentNamed(state, name);
      return agent !== undefined && activeRunOf(state, agent.id)?.phase.status === 'parked';
    });
  }

  /** Resolves when the person has been told so many things outside any session. */
  told(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.notices.length < count) return;
        subscription.dispose();
        resolve();
      };
      const subscription = this.engine.onNotice(look);
      look();
    });
  }

  /** Resolves with the open questions to the person when there are so many, oldest first. */
  async asks(session: SessionId, count = 1): Promise<readonly Ask[]> {
    return openAsks(await this.until(session, (state) => openAsks(state, null).length >= count), null);
  }

  /** Answers a question as the person, with its own hash. */
  async answer(session: SessionId, ask: Ask, answer: AskAnswer): Promise<void> {
    const hash = ask.about.type === 'permission' ? ask.about.argsHash : null;
    const done = await this.engine.answer(session, ask.id, answer, hash);
    if (!done.ok) throw new Error(`not answered: ${JSON.stringify(done.error)}`);
  }

  async lastAnswer(session: SessionId): Promise<string | null> {
    const state = this.engine.state(session);
    const lead = state === null ? undefined : leadOf(state);
    const runId = lead?.runs.at(-1);
    const run = state === null || runId === undefined ? undefined : runOf(state, runId);
    if (run?.phase.status !== 'ended' || run.phase.text === null) return null;
    return this.engine.readText(session, run.phase.text);
  }

  async room(session: SessionId): Promise<string[]> {
    const state = this.engine.state(session);
    if (state === null) return [];
    const lines: string[] = [];
    for (const message of values(state.messages)) {
      const text = await this.engine.readText(session, message.text);
      const n = message.n === null ? '' : `#${message.n} `;
      lines.push(`${n}${message.kind} ${message.fromName} -> ${message.to.join(', ')}: ${text}`);
    }
    return lines;
  }

  read(path: string): Promise<string> {
    return readFile(join(this.workspace, path), 'utf8');
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    const file = join(this.workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** The person saves a file in the editor. */
  async save(path: string, text: string): Promise<void> {
    const real = join(this.workspace, path);
    this.#gateway?.onSaving(real);
    await this.write(path, text);
    this.#gateway?.noteExternalChange(real, 'you');
  }

  async close(): Promise<void> {
    await this.#engine?.dispose();
    this.#engine = null;
  }

  /** Forgets an engine that has crashed, without letting it end tidily. */
  abandon(): void {
    this.#crashed.push(this.engine);
    this.#engine = null;
  }

  async end(): Promise<void> {
    await this.close();
    for (const release of this.onEnd) release();
    for (const engine of this.#crashed) await engine.dispose();
    await this.server.close();
    // An engine that has crashed in this process may still be writing its list of sessions.
    await rm(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  #parts(gateway: Gateway, settings: Partial<HostParts['settings']>): HostParts {
    const { entry } = this;
    return {
      gateway,
      storageDir: join(this.root, 'storage'),
      // A crashed engine of this process still holds its lease; the next one looks elsewhere for it.
      globalDir: join(this.root, `global${this.#crashed.length}`),
      history: inProcessHistory(null),
      attributionScript: join(__dirname, 'attributionWorker.js'),
      entries: { entries: () => this.entries ?? [entry], defaultModel: () => entry.id as ModelId },
      keyFor: () => Promise.resolve('test-key'),
      onModelNotice: (notice) => this.errors.push(JSON.stringify(notice)),
      settings: {
        defaultSize: () => ({ min: 1, max: 4 }),
        cap: () => 64,
        limits: () => ({ steps: 50, activeMs: 30 * 60_000, tokens: 2_000_000, microUsd: 5_000_000 }),
        mode: () => this.options.mode ?? 'edits',
        rules: () => [],
        resume: () => 'ask',
        subagentsEnabled: () => true,
        ...this.options.settings,
        ...settings,
      },
      trusted: true,
      probe: () => Promise.resolve(true),
      clock: systemClock,
      log: this.#log(),
      ...this.options.parts,
    };
  }

  /** The one model that is set up. */
  get entry(): ModelEntry {
    return {
      id: 'scripted',
      provider: 'openai',
      label: 'Scripted',
      baseUrl: this.server.url,
      model: 'scripted-1',
      parallel: this.options.parallel ?? null,
      singleSession: false,
      capacityGroup: null,
      contextWindow: 128_000,
      price:
        this.options.price === undefined ? { input: 1, cachedInput: 0.1, output: 2 } : this.options.price,
      parameters: {},
    };
  }

  #log(): Log {
    const note = (line: string) => this.errors.push(line);
    return {
      debug: () => undefined,
      info: () => undefined,
      warn: (message, details) => note(`warning: ${message} ${JSON.stringify(details ?? {})}`),
      error: (message, error) =>
        note(`error: ${message} ${error instanceof Error ? error.stack : String(error)}`),
    };
  }
}
