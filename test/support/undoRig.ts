import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Emitter } from '../../src/base/event';
import type { Result } from '../../src/base/result';
import type { EngineProblem, SessionChange, UndoReport, UndoWhat } from '../../src/runtime/engine';
import type { LedgerPort } from '../../src/runtime/ports';
import { SessionRuntime } from '../../src/runtime/sessionRuntime';
import { Undoing } from '../../src/runtime/undo';
import { settleUndos } from '../../src/runtime/undoWrites';
import type { CallId, SessionId } from '../../src/shared/ids';
import { agentNamed } from '../../src/shared/lookup';
import { initialState, reduce } from '../../src/shared/reduce';
import { parseRecord } from '../../src/shared/schema';
import type { Change, State } from '../../src/shared/state';
import { MemoryWorkspaceStore } from '../../src/store/memory';
import type { SessionStore } from '../../src/store/port';
import type { Facts } from '../../src/team/commands';
import { policies } from '../../src/team/policies';
import type { Gateway, GatewayOptions } from '../../src/workspace/gateway';
import { countLines, withoutChange } from '../../src/workspace/ledger';
import { hunksOf, withoutHunk } from '../../src/workspace/ledgerHunks';
import type { WorkspacePort } from '../../src/workspace/port';
import { quietLog } from './quietLog';
import { type TempWorkspace, tempWorkspace } from './tempWorkspace';
import { MODEL, Story } from './webview/story';

export const ledger: LedgerPort = {
  countLines,
  withoutChange,
  hunkIds: (before, after) => hunksOf(before, after)?.map((hunk) => hunk.id) ?? null,
  withoutHunk,
};

type Recorded = Omit<Change, 'id' | 'at' | 'undone' | 'agentId' | 'runId' | 'callId'>;

/** Undo on real files: agents whose changes are put into the files and into the session's record, and the person. */
export class UndoRig {
  readonly workspace: TempWorkspace;
  readonly #memory: MemoryWorkspaceStore;
  readonly #undoing: Undoing;
  readonly #calls = new Map<string, CallId>();
  #store: SessionStore;
  #runtime: SessionRuntime;
  #now = 1000;
  /** How many files are written before the host crashes; null: it doesn't. */
  crashAfter: number | null = null;

  private constructor(workspace: TempWorkspace, memory: MemoryWorkspaceStore, store: SessionStore) {
    this.workspace = workspace;
    this.#memory = memory;
    this.#store = store;
    this.#undoing = new Undoing({ workspace: this.#crashing(workspace.gateway), ledger });
    this.#runtime = this.#runtimeOn(initialState);
  }

  static async start(
    files: Readonly<Record<string, string | Uint8Array>> = {},
    options: Partial<GatewayOptions> = {},
  ): Promise<UndoRig> {
    const memory = new MemoryWorkspaceStore();
    const rig = new UndoRig(await tempWorkspace(files, options), memory, await memory.create('s1'));
    const story = new Story(1);
    const lead = story.begin();
    for (const name of ['ui', 'api']) {
      const agent = story.add(name, lead, name);
      rig.#calls.set(name, story.step(story.start(agent), 'bash'));
    }
    await rig.#store.append(story.commit().map((event) => JSON.stringify(event)));
    await rig.reopen();
    return rig;
  }

  /** Like after a crash: what is on the disk, and nothing else. */
  async reopen(): Promise<readonly string[]> {
    const opened = await this.#memory.open('s1');
    this.#store = opened.store;
    let state = initialState;
    for await (const { json } of opened.tail) {
      const events = parseRecord(json);
      if (!events.ok) throw new Error(events.error.detail);
      for (const event of events.value) state = reduce(state, event);
    }
    this.#runtime = this.#runtimeOn(state);
    return settleUndos(this.#runtime, { workspace: this.workspace.gateway });
  }

  /** The disk is full from now on, until the next start. */
  breakDisk(): void {
    this.#memory.faults.failNext = 'disk_full';
  }

  get state(): State {
    return this.#runtime.state;
  }

  get runtime(): SessionRuntime {
    return this.#runtime;
  }

  undo(what: UndoWhat): Promise<Result<UndoReport, EngineProblem>> {
    this.#now += 10;
    return this.#undoing.run(this.#runtime, what);
  }

  /** What was done, and what not and why, in a line. */
  async report(what: UndoWhat): Promise<string> {
    const done = await this.undo(what);
    const report = done.ok ? done.value : done.error.code === 'conflict' ? done.error.report : null;
    if (report === null) return JSON.stringify(done);
    const refused = report.refused.map(({ path, why }) => `${path}: ${JSON.stringify(why)}`);
    return [`${report.id ?? '-'} [${report.undone.join(' ')}]`, ...refused].join(' ');
  }

  /** An agent's change as it would have been recorded. null: removes the file. */
  async change(
    name: string,
    path: string,
    content: string | Uint8Array | null,
    more: Partial<Recorded> = {},
  ) {
    const before = await this.bytes(path);
    const after = content === null ? null : Buffer.from(content);
    await this.put(path, after);
    const kind = before === null ? 'create' : after === null ? 'delete' : 'modify';
    this.record(name, { path, kind, ...this.#sides(before, after), ...more });
  }

  async move(name: string, from: string, to: string): Promise<void> {
    const bytes = await this.bytes(from);
    await mkdir(dirname(this.#real(to)), { recursive: true });
    await rename(this.#real(from), this.#real(to));
    this.record(name, { path: to, from, kind: 'rename', ...this.#sides(bytes, bytes) });
  }

  async chmod(name: string, path: string, mode: number): Promise<void> {
    const bytes = await this.bytes(path);
    const before = await this.mode(path);
    await chmod(this.#real(path), mode);
    this.record(name, { path, kind: 'modify', ...this.#sides(bytes, bytes), mode: { before, after: mode } });
  }

  record(name: string, change: Recorded): void {
    this.#now += 10;
    const callId = this.#calls.get(name);
    if (callId === undefined) throw new Error(`there is no agent ${name}`);
    const done = this.#runtime.dispatch({ type: 'record_changes', callId, changes: [change] });
    if (!done.ok) throw new Error(JSON.stringify(done.error));
  }

  /** By the person, or by a program: nobody records it. null: removes the file. */
  async put(path: string, content: string | Uint8Array | null): Promise<void> {
    const real = this.#real(path);
    if (content === null) return rm(real);
    await mkdir(dirname(real), { recursive: true });
    await writeFile(real, content);
  }

  async bytes(path: string): Promise<Buffer | null> {
    return readFile(this.#real(path)).catch(() => null);
  }

  async text(path: string): Promise<string | null> {
    return (await this.bytes(path))?.toString('utf8') ?? null;
  }

  async mode(path: string): Promise<number> {
    return (await stat(this.#real(path))).mode & 0o777;
  }

  /** Ids of the hunks of an agent's only change of a file. */
  async hunks(name: string, path: string): Promise<readonly string[]> {
    const id = agentNamed(this.state, name)?.id;
    const change = [...this.state.changes.pages.flat()].find(
      (each) => each.path === path && each.agentId === id,
    );
    const read = async (blob: Change['before']) => (blob === null ? null : this.#store.readBytes(blob));
    if (change === undefined) return [];
    return ledger.hunkIds(await read(change.before), await read(change.after)) ?? [];
  }

  /** Which changes stand, by agent and path. */
  get standing(): readonly string[] {
    return [...this.state.changes.pages.flat()].flatMap((change) =>
      change.undone === null ? [change.path] : [],
    );
  }

  dispose(): Promise<void> {
    return this.workspace.dispose();
  }

  #crashing(gateway: Gateway): WorkspacePort {
    const restore: WorkspacePort['restore'] = (...args) => {
      if (this.crashAfter !== null && this.crashAfter-- === 0) throw new Error('the host crashed');
      return gateway.restore(...args);
    };
    return new Proxy<WorkspacePort>(gateway, {
      get: (_, key) => {
        if (key === 'restore') return restore;
        const value: unknown = Reflect.get(gateway, key, gateway);
        return typeof value === 'function' ? value.bind(gateway) : value;
      },
    });
  }

  #real(path: string): string {
    return join(this.workspace.root, path);
  }

  #sides(before: Uint8Array | null, after: Uint8Array | null) {
    const hash = (bytes: Uint8Array | null) =>
      bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
    const keep = (bytes: Uint8Array | null) => (bytes === null ? null : this.#store.keepBytes(bytes).blob);
    return {
      before: keep(before),
      after: keep(after),
      beforeHash: hash(before),
      afterHash: hash(after),
      ...countLines(before, after),
    };
  }

  #runtimeOn(state: State): SessionRuntime {
    return new SessionRuntime({
      id: 's1' as SessionId,
      store: this.#store,
      state,
      facts: () => this.#facts(),
      log: quietLog,
      changes: new Emitter<SessionChange>((error) => {
        throw error;
      }),
      onFailure: () => undefined,
      onDecided: () => undefined,
    });
  }

  #facts(): Facts {
    return {
      now: this.#now,
      policy: policies.room,
      cap: 8,
      model: () => ({ id: MODEL, slots: null, capacityGroup: null, servesTwo: true }),
      experts: [],
      subagentsEnabled: true,
      build: () => {
        throw new Error('nobody is built here');
      },
    };
  }
}
