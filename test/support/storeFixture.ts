import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock';
import type { Log } from '../../src/base/log';
import { type FilePort, nodeFiles, type StoreFile } from '../../src/store/files';
import type { HistoryFactory } from '../../src/store/historyPort';
import { inProcessHistory } from '../../src/store/inProcessHistory';
import type { OpenedSession } from '../../src/store/port';
import { type FolderWorkspaceStore, folderWorkspaceStore } from '../../src/store/workspaceStore';

/** A log that can be looked at. */
export function listeningLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    debug: (message) => lines.push(`debug ${message}`),
    info: (message) => lines.push(`info ${message}`),
    warn: (message) => lines.push(`warn ${message}`),
    error: (message) => lines.push(`error ${message}`),
  };
}

/** Time that stands still until the test moves it. */
export function heldClock(): Clock & { pass(ms: number): void } {
  let now = 1_000_000;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return { dispose: () => timers.delete(timer) };
    },
    pass(ms) {
      now += ms;
      for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.callback();
    },
  };
}

/** Stores that a test left open, as a killed process would. */
const started = new Set<FolderWorkspaceStore>();

/** Makes folders; after each test stores are closed and folders removed. */
export function temporaryFolders(): () => string {
  const made: string[] = [];
  afterEach(async function () {
    this.timeout(60_000);
    for (const store of started) await store.dispose();
    started.clear();
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'teamroom-store-'));
    made.push(folder);
    return folder;
  };
}

export interface StoreSetting {
  readonly files?: FilePort;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly epoch?: number | null;
  readonly schema?: number;
  readonly history?: HistoryFactory;
  readonly isCurrent?: () => Promise<boolean>;
}

/** A workspace store in `storage` that holds its lease as given. */
export function storeIn(storage: string, setting: StoreSetting = {}): FolderWorkspaceStore {
  const { epoch = 1, isCurrent = async () => true } = setting;
  const store = folderWorkspaceStore({
    storage,
    clock: setting.clock ?? systemClock,
    log: setting.log ?? listeningLog(),
    history: setting.history ?? inProcessHistory(null),
    right: epoch === null ? null : { epoch, isCurrent },
    files: setting.files ?? nodeFiles,
    ...(setting.schema === undefined ? {} : { schema: setting.schema }),
  });
  started.add(store);
  return store;
}

/** Everything that an opened session gives, read out. */
export async function contentOf(opened: OpenedSession) {
  const tail: { seq: number; json: string }[] = [];
  for await (const record of opened.tail) tail.push({ ...record });
  return { checkpoint: opened.checkpoint, tail, notices: opened.notices, seq: opened.store.seq };
}

export const numbered = (from: number, records: readonly string[]) =>
  records.map((json, index) => ({ seq: from + index, json }));

/** Faults to be met by a file port; each is asked before the real thing. */
export interface FileFaults {
  /** How many bytes of a write are taken; an error is thrown instead. Undefined: all. */
  write?: (path: string, bytes: number) => number | Error | undefined;
  datasync?: (path: string) => Error | undefined;
  truncate?: (path: string) => Error | undefined;
  rename?: (from: string, to: string) => Error | undefined;
  create?: (path: string) => Error | undefined;
  /** Called when a write or a datasync has really been done. */
  done?: (what: 'write' | 'datasync' | 'rename', path: string) => void;
}

export const fault = (code: string): Error =>
  Object.assign(new Error(`${code}: a fault of the test`), { code });

export function faultyFiles(faults: FileFaults): FilePort {
  const check = (error: Error | undefined) => {
    if (error !== undefined) throw error;
  };
  const wrap = (path: string, file: StoreFile): StoreFile => ({
    async write(bytes, position) {
      const taken = faults.write?.(path, bytes.length);
      if (taken instanceof Error) throw taken;
      const count = await file.write(taken === undefined ? bytes : bytes.subarray(0, taken), position);
      faults.done?.('write', path);
      return count;
    },
    async datasync() {
      check(faults.datasync?.(path));
      await file.datasync();
      faults.done?.('datasync', path);
    },
    async truncate(length) {
      check(faults.truncate?.(path));
      await file.truncate(length);
    },
    close: () => file.close(),
  });
  return {
    ...nodeFiles,
    async create(path) {
      check(faults.create?.(path));
      return wrap(path, await nodeFiles.create(path));
    },
    open: async (path) => wrap(path, await nodeFiles.open(path)),
    async rename(from, to) {
      check(faults.rename?.(from, to));
      await nodeFiles.rename(from, to);
      faults.done?.('rename', to);
    },
  };
}
