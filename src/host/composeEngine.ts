import { hostname } from 'node:os';
import type { Clock } from '../base/clock';
import type { Event } from '../base/event';
import type { Log } from '../base/log';
import { fail, ok } from '../base/result';
import { buildAgent, expertNames } from '../experts/build';
import { Models, type ModelsOptions } from '../model/models';
import { createEngine, type OwnedEngine } from '../runtime/createEngine';
import type { EngineAccess, HostSettings } from '../runtime/engine';
import type { EngineOptions } from '../runtime/ports';
import { resolveHistoryFolder, workspaceKey } from '../store/historyFolder';
import type { HistoryFactory } from '../store/historyPort';
import { Lease } from '../store/lease';
import { folderWorkspaceStore } from '../store/workspaceStore';
import { roomStyle } from '../styles/room';
import { workspaceTools } from '../tools';
import { Attribution } from '../workspace/attribution/attribution';
import type { AttributionPort } from '../workspace/attributionPort';
import type { Gateway } from '../workspace/gateway';
import { countLines, withoutChange } from '../workspace/ledger';
import { hunksOf, withoutHunk } from '../workspace/ledgerHunks';
import { judge } from '../workspace/permission';
import { readingCommand } from '../workspace/shell/reading';
import { Shell } from '../workspace/shell/run';
import { steering } from '../workspace/shell/steering';
import { type EntrySource, modelsPort } from './modelsPort';
import { newSessionId } from './sessionId';

/** What a host brings: places, settings, an editor if there is one. Everything else is the same everywhere. */
export interface HostParts {
  /** The workspace's storage folder as handed out now; the history may lie in an earlier one. */
  readonly storageDir: string;
  /** Shared by all windows. */
  readonly globalDir: string;
  /** The checkpoints' database: in a worker in life, in process in tests. */
  readonly history: HistoryFactory;
  /** Path of the bundled worker that finds what commands change (attributionWorker.js). */
  readonly attributionScript: string;
  /** The window's one gateway, made with its editor and its folders. */
  readonly gateway: Gateway;
  readonly entries: EntrySource;
  readonly keyFor: ModelsOptions['keyFor'];
  /** An origin's key was set or changed: the next request asks for it. Absent: keys stay as they are. */
  readonly onKeyChanged?: Event<string>;
  readonly onModelNotice: ModelsOptions['onNotice'];
  readonly settings: HostSettings;
  readonly trusted: boolean;
  /** Whether this window still answers its person. */
  readonly probe: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The engine of one window or one headless process on its workspace, with the right to write it if that can be had.
 * @param adapt replaces parts before the engine is made: more tools, another store
 */
export async function composeEngine(
  parts: HostParts,
  adapt: (options: EngineOptions) => EngineOptions = (options) => options,
): Promise<OwnedEngine> {
  const { clock, log, globalDir } = parts;
  const key = await workspaceKey(parts.gateway.folders.map((folder) => folder.root).join('\n'));
  const storage = await resolveHistoryFolder({ storageDir: parts.storageDir, globalDir, workspaceKey: key });
  const { history } = parts;
  const storeFor = (right: Lease | null) => folderWorkspaceStore({ storage, clock, log, history, right });
  let engine: OwnedEngine | null = null;
  const lease = await Lease.acquire({
    globalFolder: globalDir,
    workspace: key,
    pid: process.pid,
    host: hostname(),
    runtimeFolder: process.env['XDG_RUNTIME_DIR'] ?? null,
    clock,
    log,
    probe: parts.probe,
    onLost: async () => {
      await engine?.changeAccess(elsewhere(lease), storeFor(null));
    },
  });
  const isHeld = () => lease.state.type === 'held';
  const options: EngineOptions = {
    ...adapters(parts),
    store: storeFor(isHeld() ? lease : null),
    access: accessOf(lease, parts),
    takeOver: async () => {
      await lease.takeOver();
      return isHeld()
        ? ok(storeFor(lease))
        : fail('the other window could not be made to give the workspace up');
    },
  };
  const adapted = adapt(options);
  engine = createEngine(adapted);
  return released(engine, lease, adapted.attribution);
}

function adapters(parts: HostParts): Omit<EngineOptions, 'store' | 'access' | 'takeOver'> {
  const { clock, log } = parts;
  const models = new Models({
    clock,
    random: Math.random,
    keyFor: parts.keyFor,
    onNotice: parts.onModelNotice,
  });
  parts.onKeyChanged?.((origin) => models.keyChanged(origin));
  return {
    workspace: parts.gateway,
    shell: new Shell({
      clock,
      // Routine when a stop meets a command that is about to begin; a disk that failed is told by itself.
      onLateFailure: (error) => log.info('a command was stopped before it began', { error: String(error) }),
    }),
    permission: { judge, isReadingCommand: (command) => readingCommand(command).reading, steering },
    tools: workspaceTools,
    styles: { room: roomStyle },
    experts: { names: () => expertNames, build: buildAgent },
    models: modelsPort(models, parts.entries),
    settings: parts.settings,
    ledger: {
      countLines,
      withoutChange,
      hunkIds: (before, after) => hunksOf(before, after)?.map((hunk) => hunk.id) ?? null,
      withoutHunk,
    },
    attribution: attributionOf(parts),
    clock,
    newSessionId: () => newSessionId(clock),
    log,
  };
}

function attributionOf({ attributionScript: script, gateway, clock, log }: HostParts): AttributionPort {
  const attribution = new Attribution({ script, folders: gateway.folders, clock, log });
  gateway.onWriting = (writes) => attribution.writing(writes);
  gateway.onSaving = (real) => attribution.saving(real);
  gateway.onSaved = (real) => attribution.saved(real);
  return attribution;
}

function accessOf(lease: Lease, { gateway, trusted }: HostParts): EngineAccess {
  if (gateway.folders.length === 0) {
    return { type: 'read_only', why: 'no_folder', detail: 'no folder is open: a team works in a folder' };
  }
  if (!trusted) {
    return {
      type: 'read_only',
      why: 'untrusted',
      detail: 'this folder is not trusted: its history can be read, nothing runs',
    };
  }
  return lease.state.type === 'held' ? { type: 'writable' } : elsewhere(lease);
}

function elsewhere(lease: Lease): EngineAccess {
  const holder = lease.state.type === 'elsewhere' ? lease.state.holder : null;
  const who = holder === null ? 'another window' : `another window (process ${holder.pid} on ${holder.host})`;
  return { type: 'read_only', why: 'elsewhere', detail: `${who} has this workspace's teams` };
}

/** The lease outlives the sessions: it is given back when everything is closed. */
function released(engine: OwnedEngine, lease: Lease, attribution: AttributionPort): OwnedEngine {
  const dispose = engine.dispose.bind(engine);
  engine.dispose = async () => {
    await dispose();
    await attribution.dispose();
    await lease.release();
  };
  return engine;
}
