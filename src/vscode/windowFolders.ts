import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import { markerName } from './marker';

export interface WindowFolder {
  readonly name: string;
  /** Absolute and real. */
  readonly root: string;
}

/** The folders of this window that lie on a disk; others can't be worked in. */
export function windowFolders(): readonly WindowFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => ({ name: folder.name, root: realPath(folder.uri.fsPath) }));
}

export function windowMarker(): string | null {
  const file = vscode.workspace.workspaceFile;
  const roots = windowFolders().map((folder) => folder.root);
  return markerName(roots, file?.scheme === 'file' ? file.fsPath : null);
}

/** A folder that has gone, or may not be read, keeps its name: nothing can be done under it. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
