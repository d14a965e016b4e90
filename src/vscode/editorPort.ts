import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { EditorPort } from '../workspace/port';
import { editorProblems } from './editorProblems';

/** Unsaved text in the editor: such a file is not written by an agent. */
export const editorPort: EditorPort = {
  problems: editorProblems,
  isDirty: (realPath) => vscode.workspace.textDocuments.some((document) => isUnsaved(document, realPath)),
  // The editor watches its open files itself and takes over what was written.
  didWrite: () => undefined,
};

function isUnsaved(document: vscode.TextDocument, realPath: string): boolean {
  if (!document.isDirty || document.uri.scheme !== 'file') return false;
  const { fsPath } = document.uri;
  return fsPath === realPath || sameFile(fsPath, realPath);
}

/** The editor may have the file open through a link. */
function sameFile(fsPath: string, realPath: string): boolean {
  try {
    return realpathSync(fsPath) === realPath;
  } catch {
    // Deleted on the disk while the editor still has it: another path can't mean it.
    return false;
  }
}
