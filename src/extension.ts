import * as vscode from 'vscode';
import type { ApiChange, HostApi, TeamroomApi } from './vscode/api';
import { BLOB_SCHEME, BlobFs } from './vscode/blobFs';
import { type CommandId, commandIds } from './vscode/commandIds';
import { LazyHost } from './vscode/lazyHost';
import { hasMarker } from './vscode/marker';
import type { Surfaces } from './vscode/surfaces';
import type { AgentsNode } from './vscode/views/agentsNodes';
import { windowMarker } from './vscode/windowFolders';

let lazy: LazyHost | null = null;

/**
 * Registers what the manifest promises and looks whether the workspace has unfinished work. The engine is loaded
 * only for that, by a command, or by a view that is seen: a window that doesn't use Teamroom pays for nothing else.
 */
export function activate(context: vscode.ExtensionContext): TeamroomApi {
  const startedAt = performance.now();
  const log = vscode.window.createOutputChannel('Teamroom', { log: true });
  const redraw = new vscode.EventEmitter<readonly AgentsNode[] | undefined>();
  const changed = new vscode.EventEmitter<ApiChange>();
  const surfaces = (): Surfaces => ({ context, log, agentsView, redraw, changed });
  const host = new LazyHost(surfaces, (error) => tellStartFailure(error, log));
  lazy = host;
  const agentsView = vscode.window.createTreeView('teamroom.agents', {
    treeDataProvider: lazyAgents(host, redraw),
    showCollapseAll: true,
  });
  const blobFs = new BlobFs(async () => (await host.get()).blobs);
  context.subscriptions.push(
    log,
    redraw,
    changed,
    agentsView,
    blobFs,
    vscode.window.registerWebviewViewProvider('teamroom.room', {
      resolveWebviewView: async (view, state, token) =>
        (await host.get()).room.resolveWebviewView(view, state, token),
    }),
    vscode.workspace.registerFileSystemProvider(BLOB_SCHEME, blobFs, { isReadonly: true }),
    ...commandIds.map((id) => vscode.commands.registerCommand(id, command(id, host, log))),
  );
  // A start that fails is told; nobody else waits for this one.
  if (unfinishedWork(context)) host.get().catch(() => undefined);
  const activationMs = performance.now() - startedAt;
  log.info(`activated in ${activationMs.toFixed(1)} ms`);
  return {
    version: 1,
    activationMs,
    engineLoaded: () => host.ready !== null,
    onDidChange: changed.event,
    ...lazyApi(host),
  };
}

/** Checkpoints are written and the workspace is given back; VS Code waits for at most 5 s. */
export async function deactivate(): Promise<void> {
  const host = lazy;
  lazy = null;
  await host?.dispose();
}

function command(id: CommandId, host: LazyHost, log: vscode.LogOutputChannel) {
  return async (...args: unknown[]): Promise<unknown> => {
    // The log must open even where the engine can't.
    if (id === 'teamroom.openLog') return log.show();
    try {
      const loaded = await host.get();
      return await loaded.run(id, args);
    } catch (error) {
      // Both of these were told already; the editor would tell them once more, in a dialog.
      if (error instanceof Error && error.name === 'TeamroomError') return undefined;
      if (host.ready === null) return undefined;
      log.error(`${id} failed`, error instanceof Error ? error : String(error));
      throw error;
    }
  };
}

function tellStartFailure(error: unknown, log: vscode.LogOutputChannel): void {
  log.error('the engine could not start', error instanceof Error ? error : String(error));
  const why = error instanceof Error ? error.message : String(error);
  const open = vscode.l10n.t('Open Log');
  const told = vscode.window.showErrorMessage(vscode.l10n.t('Teamroom could not start: {0}', why), open);
  void told.then((choice) => (choice === open ? log.show() : undefined));
}

function lazyAgents(
  host: LazyHost,
  redraw: vscode.EventEmitter<readonly AgentsNode[] | undefined>,
): vscode.TreeDataProvider<AgentsNode> {
  return {
    // The editor's own type wants a mutable list, which it does not change.
    onDidChangeTreeData: redraw.event as vscode.Event<AgentsNode[] | undefined>,
    getChildren: async (node) => (await host.get()).agents.getChildren(node),
    getTreeItem: async (node) => (await host.get()).agents.getTreeItem(node),
    getParent: async (node) => (await host.get()).agents.getParent?.(node),
    resolveTreeItem: async (item, node, token) =>
      (await host.get()).agents.resolveTreeItem?.(item, node, token),
  };
}

function lazyApi(host: LazyHost): HostApi {
  return {
    delegate: async (options) => (await host.get()).api.delegate(options),
    send: async (session, text, to) => (await host.get()).api.send(session, text, to),
    stop: async (session, name) => (await host.get()).api.stop(session, name),
    resume: async (session, go) => (await host.get()).api.resume(session, go),
    pause: async (session, paused) => (await host.get()).api.pause(session, paused),
    retry: async (session, agent, model) => (await host.get()).api.retry(session, agent, model),
    tellLead: async (session) => (await host.get()).api.tellLead(session),
    undo: async (session, agent, path, hunk) => (await host.get()).api.undo(session, agent, path, hunk),
    redo: async (session, undo) => (await host.get()).api.redo(session, undo),
    accept: async (session, member) => (await host.get()).api.accept(session, member),
    requestChanges: async (session, member, text) =>
      (await host.get()).api.requestChanges(session, member, text),
    answer: async (session, ask, answer, hash) => (await host.get()).api.answer(session, ask, answer, hash),
    settings: async (session, patch) => (await host.get()).api.settings(session, patch),
    delete: async (session) => (await host.get()).api.delete(session),
    sessions: async () => (await host.get()).api.sessions(),
    state: async (session) => (await host.get()).api.state(session),
  };
}

function unfinishedWork(context: vscode.ExtensionContext): boolean {
  const marker = windowMarker();
  return marker !== null && hasMarker(context.globalStorageUri.fsPath, marker);
}
