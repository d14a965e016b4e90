import type * as vscode from 'vscode';
import type { ApiChange, HostApi } from './api';
import type { CommandId } from './commandIds';
import type { AgentsNode } from './views/agentsNodes';

/** What activation makes and the engine's bundle then works with. */
export interface Surfaces {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly agentsView: vscode.TreeView<AgentsNode>;
  /** Tells the tree which rows to draw again; undefined: all. */
  readonly redraw: vscode.EventEmitter<readonly AgentsNode[] | undefined>;
  readonly changed: vscode.EventEmitter<ApiChange>;
}

/** The loaded engine as activation sees it. */
export interface Host {
  run(command: CommandId, args: readonly unknown[]): Promise<unknown>;
  readonly agents: vscode.TreeDataProvider<AgentsNode>;
  readonly room: vscode.WebviewViewProvider;
  readonly blobs: BlobReader;
  readonly api: HostApi;
  /** Ends within 5 s, which is all that VS Code gives. */
  dispose(): Promise<void>;
}

export interface BlobReader {
  /** @throws vscode.FileSystemError when there is no such content */
  read(uri: vscode.Uri): Promise<Uint8Array>;
}
