import { ok } from '../../src/base/result';
import type { ModelEntry } from '../../src/model/port';
import type { HostSettings } from '../../src/runtime/engine';
import { noSurroundings } from '../../src/shared/project/who';
import type { Desk } from '../../src/vscode/commands/desk';
import { EngineBox } from '../../src/vscode/engineBox';
import { ModelKeys } from '../../src/vscode/models/keys';
import { Sessions } from '../../src/vscode/sessions';
import { MemorySecrets } from './memorySecrets';
import type { Rig } from './rig';
import type { ScriptedAsker } from './scriptedAsker';

/** What a command did to the editor, in order. */
export interface DeskRig {
  readonly desk: Desk;
  readonly box: EngineBox;
  readonly done: string[];
  readonly entries: ModelEntry[];
}

const settings: HostSettings = {
  defaultSize: () => ({ min: 1, max: 4 }),
  cap: () => 8,
  limits: () => ({ steps: 50, activeMs: null, tokens: null, microUsd: null }),
  mode: () => 'edits',
  rules: () => [],
  resume: () => 'ask',
  subagentsEnabled: () => true,
};

/** Commands on a real engine, a scripted person and an editor that only remembers what it was told. */
export async function deskOn(
  rig: Rig,
  asker: ScriptedAsker,
  options: {
    readonly models?: readonly ModelEntry[];
    readonly rehearses?: boolean;
    readonly subject?: string;
  } = {},
): Promise<DeskRig> {
  const done: string[] = [];
  const fail = (error: unknown) => {
    throw error;
  };
  const box = await EngineBox.open(async () => rig.engine, fail);
  const memory = new Map<string, string | undefined>();
  const sessions = new Sessions(
    box,
    {
      get: (key) => memory.get(key),
      update: async (key, value) => void memory.set(key, value),
    },
    fail,
  );
  await sessions.load();
  const entries = [...(options.models ?? [])];
  let chosen: string | null = null;
  const note = (line: string) => done.push(line);
  const desk: Desk = {
    asker,
    engine: () => box.engine,
    sessions,
    models: {
      rehearses: options.rehearses ?? false,
      entries: () => entries,
      default: () => entries.find((entry) => entry.id === chosen) ?? entries[0] ?? null,
      add: async (entry, before) => {
        await before();
        entries.push(entry);
      },
      settled: async () => undefined,
      setDefault: async (id) => {
        chosen = id;
      },
    },
    keys: new ModelKeys(new MemorySecrets(), fail),
    settings,
    editor: {
      showRoom: async (agent) => void note(`room ${agent ?? ''}`),
      openDiff: async (_session, agent, path) => {
        note(`diff ${agent} ${path}`);
        return ok(null);
      },
      openAllDiffs: async (_session, agent) => {
        note(`all diffs ${agent}`);
        return ok(null);
      },
      openTranscript: async (_session, agent) => void note(`transcript ${agent}`),
      openRequest: async (_session, step) => void note(`request ${step}`),
      saveFile: async (name, write) => {
        let text = '';
        await write(async (more) => {
          text += more;
        });
        note(`saved ${name}\n${text}`);
        return `/${name}`;
      },
      copy: async (text) => void note(`copied\n${text}`),
      showRow: async (key) => void note(`row ${key}`),
      openFolder: async (path) => void note(`folder ${path}`),
      chooseFolder: async () => null,
      run: async (command) => note(`run ${command}`),
      subject: () => options.subject ?? null,
      sampleHome: `${rig.root}/samples`,
    },
    around: () => noSurroundings,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: fail },
  };
  return { desk, box, done, entries };
}

/** The entry that the rig's engine knows too. */
export const rigModel = (rig: Rig): ModelEntry => ({
  id: 'scripted',
  provider: 'openai',
  label: 'Scripted',
  baseUrl: rig.server.url,
  model: 'scripted-1',
  parallel: null,
  singleSession: false,
  capacityGroup: null,
  contextWindow: 128_000,
  price: null,
  parameters: {},
});
