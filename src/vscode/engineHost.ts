import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../base/clock';
import type { Log } from '../base/log';
import { composeEngine } from '../host/composeEngine';
import type { OwnedEngine } from '../runtime/createEngine';
import { currentStrings, useStrings } from '../shared/texts';
import { workerHistory } from '../store/workerHistory';
import { Gateway } from '../workspace/gateway';
import { Configuration } from './configuration';
import { editorAsker } from './editorAsker';
import { editorPort } from './editorPort';
import { EngineBox } from './engineBox';
import { HostWindow } from './hostWindow';
import { ModelKeys } from './models/keys';
import { SettingsModels } from './models/settingsModels';
import { noLinks } from './plainText';
import { ripgrepPath } from './ripgrepPath';
import { isSampleFolder } from './sampleFolder';
import { Sessions } from './sessions';
import { type SettingProblem, VscodeSettings } from './settings';
import type { Host, Surfaces } from './surfaces';
import { say, translateWith } from './texts';
import { realPath, windowFolders } from './windowFolders';

/** The engine's bundle begins here: makes the engine of this window and everything that shows it. */
export async function startHost(surfaces: Surfaces): Promise<Host> {
  const { context } = surfaces;
  const log = editorLog(surfaces.log);
  speakLanguage();
  const told = new Set<string>();
  const onProblem = (problem: SettingProblem) => tellSetting(problem, told, log);
  const configuration = new Configuration();
  context.subscriptions.push(configuration);
  const settings = new VscodeSettings(configuration, onProblem);
  const rehearses = windowFolders().some((folder) => isSampleFolder(folder.root));
  const models = new SettingsModels(configuration, rehearses, onProblem);
  const onError = (error: unknown) => log.error('a listener failed', error);
  const keys = new ModelKeys(context.secrets, onError);
  const gateway = new WindowGateway();
  context.subscriptions.push(gateway);
  const make = async () => makeEngine(context, await gateway.open(), { settings, models, keys, log });
  const box = await EngineBox.open(make, onError);
  const sessions = new Sessions(box, context.workspaceState, onError);
  const asker = editorAsker;
  const parts = { surfaces, box, sessions, configuration, settings, models, keys, asker, log };
  const window = new HostWindow(parts);
  await window.start();
  tellPlatform(context);
  return window;
}

/** Everything a person reads, in the editor's language where there is a translation. */
function speakLanguage(): void {
  translateWith((message, ...args) => vscode.l10n.t(message, ...args));
  if (vscode.l10n.bundle === undefined) return;
  const words = Object.entries(currentStrings()).map(([key, english]) => [key, vscode.l10n.t(english)]);
  useStrings(Object.fromEntries(words));
}

interface EngineParts {
  readonly settings: VscodeSettings;
  readonly models: SettingsModels;
  readonly keys: ModelKeys;
  readonly log: Log;
}

async function makeEngine(
  context: vscode.ExtensionContext,
  gateway: Gateway,
  parts: EngineParts,
): Promise<OwnedEngine> {
  const { settings, models, keys, log } = parts;
  const globalDir = context.globalStorageUri.fsPath;
  const dist = join(context.extensionPath, 'dist');
  return composeEngine({
    gateway,
    // Without a folder the editor gives no storage; then nothing is stored, and the access says so.
    storageDir: context.storageUri?.fsPath ?? join(globalDir, 'no-folder'),
    globalDir,
    history: workerHistory({
      script: join(dist, 'storeWorker.js'),
      wasm: join(dist, 'sql-wasm.wasm'),
      clock: systemClock,
      log,
    }),
    attributionScript: join(dist, 'attributionWorker.js'),
    entries: models,
    keyFor: async (origin) => (await keys.get(origin)) || null,
    onKeyChanged: keys.onDidChange,
    onModelNotice: (notice) => log.info('a model server', { ...notice }),
    settings,
    trusted: vscode.workspace.isTrusted,
    // A window whose browser is gone never answers this; one that lives does within 300 ms.
    probe: async () => (await vscode.commands.getCommands(true)).length > 0,
    clock: systemClock,
    log,
  });
}

/** Sees the folders through the editor: unsaved text, and what the person saves there. */
class WindowGateway {
  #gateway: Gateway | null = null;
  readonly #saves = vscode.Disposable.from(
    vscode.workspace.onWillSaveTextDocument(({ document }) => {
      if (document.uri.scheme === 'file') this.#gateway?.onSaving(realPath(document.uri.fsPath));
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (document.uri.scheme === 'file')
        this.#gateway?.noteExternalChange(realPath(document.uri.fsPath), 'you');
    }),
  );

  async open(): Promise<Gateway> {
    this.#gateway = await Gateway.open({
      folders: windowFolders().map(({ name, root }) => ({ name, path: root })),
      editor: editorPort,
      uniqueName: randomUUID,
      rgPath: ripgrepPath(vscode.env.appRoot),
    });
    return this.#gateway;
  }

  dispose(): void {
    this.#saves.dispose();
  }
}

/** Native Windows has not been tried: said once, not hidden in a list of requirements. */
function tellPlatform(context: vscode.ExtensionContext): void {
  if (process.platform !== 'win32' || context.globalState.get<boolean>(PLATFORM_TOLD) === true) return;
  void context.globalState.update(PLATFORM_TOLD, true);
  void vscode.window.showWarningMessage(say.windows());
}

const PLATFORM_TOLD = 'platformTold';

/** Each problem once per window: settings are read often. */
function tellSetting(problem: SettingProblem, told: Set<string>, log: Log): void {
  const words = say.settingProblem(problem);
  if (told.has(words)) return;
  told.add(words);
  log.warn(words);
  const open = say.openSettings();
  vscode.window.showWarningMessage(noLinks(words), open).then(
    (choice) =>
      choice === open
        ? vscode.commands.executeCommand('workbench.action.openSettings', 'teamroom')
        : undefined,
    (error: unknown) => log.error('a setting could not be told', error),
  );
}

function editorLog(channel: vscode.LogOutputChannel): Log {
  const line = (message: string, details: unknown) =>
    details === undefined ? message : `${message} ${JSON.stringify(details)}`;
  return {
    debug: (message, details) => channel.debug(line(message, details)),
    info: (message, details) => channel.info(line(message, details)),
    warn: (message, details) => channel.warn(line(message, details)),
    error: (message, error) =>
      channel.error(
        message,
        ...(error === undefined ? [] : [error instanceof Error ? error : String(error)]),
      ),
  };
}
