import * as vscode from 'vscode';
import { systemClock } from '../base/clock';
import type { Log } from '../base/log';
import type { SessionId } from '../shared/ids';
import type { PermissionMode } from '../shared/state';
import { perform } from './acts';
import type { HostApi } from './api';
import { surroundings } from './around';
import type { Asker } from './asker';
import { parseBlobUri } from './blobFs';
import type { CommandId } from './commandIds';
import type { Desk } from './commands/desk';
import { commands } from './commands/table';
import type { Configuration } from './configuration';
import { Decorations } from './decorations';
import { Diffs } from './diffs';
import { documentText } from './documents';
import { editorActs } from './editorActs';
import type { EngineBox } from './engineBox';
import { logFailures, logRetry } from './failureLog';
import { hostApi } from './hostApi';
import { setMarker } from './marker';
import type { ModelKeys } from './models/keys';
import type { SettingsModels } from './models/settingsModels';
import { tellNotice } from './notices';
import { problemText } from './problemTexts';
import type { Sessions } from './sessions';
import type { VscodeSettings } from './settings';
import type { BlobReader, Host, Surfaces } from './surfaces';
import { parseTextPath } from './textAddress';
import { TEXT_SCHEME } from './textDocuments';
import { say } from './texts';
import { AgentsTree, placeIn } from './views/agentsTree';
import { Notifier } from './views/notifier';
import { RoomView } from './views/roomView';
import { WindowSigns } from './views/windowSigns';
import { windowFolders, windowMarker } from './windowFolders';

/** VS Code ends the extension host after 5 s, finished or not. */
const DISPOSE_MS = 4500;

export interface HostWindowParts {
  readonly surfaces: Surfaces;
  readonly box: EngineBox;
  readonly sessions: Sessions;
  readonly configuration: Configuration;
  readonly settings: VscodeSettings;
  readonly models: SettingsModels;
  readonly keys: ModelKeys;
  readonly asker: Asker;
  readonly log: Log;
}

/** Everything of one window that stands on the engine: views, commands, API, notifications. */
export class HostWindow implements Host {
  readonly agents: AgentsTree;
  readonly room: RoomView;
  readonly api: HostApi;
  readonly blobs: BlobReader;
  readonly #parts: HostWindowParts;
  readonly #desk: Desk;
  readonly #diffs: Diffs;
  readonly #decorations: Decorations;
  readonly #signs: WindowSigns;
  readonly #notifier: Notifier;
  readonly #subscriptions: { dispose(): unknown }[] = [];
  #marked: boolean | null = null;
  #mode: PermissionMode;

  constructor(parts: HostWindowParts) {
    const { surfaces, box, sessions, models, asker, log } = parts;
    const { context } = surfaces;
    this.#parts = parts;
    this.#mode = parts.settings.mode();
    this.#diffs = new Diffs(sessions, place);
    this.room = new RoomView({
      extensionUri: context.extensionUri,
      box,
      sessions,
      around: () => this.#around(),
      act: (session, act) => perform({ desk: this.#desk, diffs: this.#diffs, place }, session, act),
      // The table in use, which the start has set to the person's language.
      strings: null,
      clock: systemClock,
      log,
    });
    this.#desk = {
      ...parts,
      engine: () => box.engine,
      editor: editorActs(this.room, this.#diffs, context.globalStorageUri.fsPath),
      around: () => this.#around(),
    };
    this.agents = new AgentsTree({
      sessions,
      around: () => this.#around(),
      root: place,
      redraw: (nodes) => surfaces.redraw.fire(nodes),
      clock: systemClock,
    });
    this.#decorations = new Decorations(sessions, place, systemClock);
    this.#signs = new WindowSigns(surfaces.agentsView);
    this.#notifier = new Notifier({
      asker,
      isSeen: (session) => this.room.isVisible && this.room.shown === session,
      show: (session) => this.run('teamroom.tree.open', [{ type: 'session', session }]).then(() => undefined),
      onError: (error) => log.error('a notification failed', error),
    });
    this.api = hostApi(() => box.engine, sessions);
    this.blobs = { read: (uri) => this.#readBlob(uri) };
    this.#listen(models);
  }

  /** Loads what has unfinished work. Nothing goes on by itself unless the person has set it so. */
  async start(): Promise<void> {
    const { sessions, log } = this.#parts;
    for (const problem of await sessions.load()) {
      log.error(problemText(problem));
      this.#told(this.#desk.asker.tell('error', problemText(problem)));
    }
    this.#update();
  }

  async run(command: CommandId, args: readonly unknown[]): Promise<unknown> {
    if (command === 'teamroom.openLog') return this.#parts.surfaces.log.show();
    return commands[command](this.#desk, args);
  }

  async dispose(): Promise<void> {
    const { box, sessions, log } = this.#parts;
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const part of [this.agents, this.room, this.#decorations, this.#signs, sessions]) part.dispose();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), DISPOSE_MS);
    });
    // What is not written by then is in the journal all the same; only the next start replays more.
    if ((await Promise.race([box.close(), late])) === 'late') log.warn('the engine took too long to end');
    clearTimeout(timer);
  }

  #listen(models: SettingsModels): void {
    const { surfaces, box, sessions, configuration, log } = this.#parts;
    this.#subscriptions.push(
      box.onDidChange((change) => {
        surfaces.changed.fire(change);
        this.agents.changed(change.session);
        this.#decorations.touch();
        this.#notifier.take(change);
        logFailures(log, change);
        this.#update();
      }),
      box.onLive((update) => {
        this.agents.live(update.session, update);
        logRetry(log, update);
      }),
      box.onNotice((notice) => this.#told(tellNotice(this.#desk, notice))),
      box.onDidChangeAccess(() => {
        this.agents.reset();
        this.#update();
        // They were closed and are being opened anew, from what another window may have written meanwhile.
        this.#load();
      }),
      sessions.onDidChange(() => {
        this.agents.reset();
        this.#decorations.touch();
        this.#update();
      }),
      configuration.onDidChange(() => {
        this.#tellAuto();
        this.room.refresh();
        this.#update();
      }),
      vscode.window.registerFileDecorationProvider(this.#decorations),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#replaceEngine()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#replaceEngine()),
      vscode.workspace.registerTextDocumentContentProvider(TEXT_SCHEME, {
        provideTextDocumentContent: (uri) => this.#readText(uri),
      }),
    );
    this.#signs.update([], box.engine.access, models.entries().length > 0);
  }

  /** Also who writes the mode into a settings file reads what it means. */
  #tellAuto(): void {
    const before = this.#mode;
    this.#mode = this.#parts.settings.mode();
    if (this.#mode === 'auto' && before !== 'auto')
      this.#told(this.#desk.asker.tell('warning', say.autoOn()));
  }

  /** Other folders or trust: another engine, on the same history. That it has come is told as another access. */
  #replaceEngine(): void {
    const { box, asker, log } = this.#parts;
    const failed = (error: unknown) => {
      log.error('the engine could not start again', error);
      return asker.tell('error', say.startFailed(error instanceof Error ? error.message : String(error)));
    };
    this.#told(box.replace().catch(failed));
  }

  #load(): void {
    const { sessions, log } = this.#parts;
    this.#told(
      sessions.load().then((problems) => {
        for (const problem of problems) log.error(problemText(problem));
      }),
    );
  }

  #update(): void {
    const { sessions, box, models, surfaces } = this.#parts;
    const open = sessions.open();
    this.#signs.update(open, box.engine.access, models.default() !== null);
    const hasWork = open.some(({ state }) => state.open.runs.length > 0 || state.open.jobs.length > 0);
    if (hasWork === this.#marked || box.engine.access.type === 'read_only') return;
    this.#marked = hasWork;
    const name = windowMarker();
    if (name !== null) setMarker(surfaces.context.globalStorageUri.fsPath, name, hasWork);
  }

  #around() {
    const { box, models, sessions } = this.#parts;
    return surroundings(box.engine, models.entries(), sessions.listings);
  }

  async #readBlob(uri: vscode.Uri): Promise<Uint8Array> {
    const address = parseBlobUri(uri);
    if (address === null || address.blob === null) throw vscode.FileSystemError.FileNotFound(uri);
    const session = address.session as SessionId;
    const { engine } = this.#parts.box;
    // A diff that was left open may belong to a session that isn't in memory.
    const opened = await engine.open(session);
    if (!opened.ok) throw vscode.FileSystemError.Unavailable(problemText(opened.error));
    try {
      return await engine.readBlob(session, address.blob);
    } catch (error) {
      this.#parts.log.error('the content could not be read', error);
      throw vscode.FileSystemError.FileNotFound(uri);
    }
  }

  async #readText(uri: vscode.Uri): Promise<string> {
    const address = parseTextPath(uri.path);
    const session = (address?.session ?? '') as SessionId;
    const { engine } = this.#parts.box;
    const opened = await engine.open(session);
    if (address === null || !opened.ok) throw vscode.FileSystemError.FileNotFound(uri);
    const text = await documentText(engine, opened.value, session, address);
    if (text === null) throw vscode.FileSystemError.FileNotFound(uri);
    return text;
  }

  /** For what nobody waits for. */
  #told(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#parts.log.error('something could not be told or done', error));
  }
}

const place = (path: string): string | null =>
  placeIn(
    windowFolders().map(({ name, root }) => ({ name, path: root })),
    path,
  );
