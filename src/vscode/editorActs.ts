import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EditorActs } from './commands/desk';
import type { Diffs } from './diffs';
import { requestUri, transcriptUri } from './textDocuments';
import type { RoomView } from './views/roomView';

/** A selection longer than this is named, not quoted. Characters. */
const LONGEST_QUOTE = 4000;

/** Acts of commands that only the editor can do. */
export function editorActs(room: RoomView, diffs: Diffs, globalDir: string): EditorActs {
  return {
    showRoom: async (agent, composer) => {
      room.reveal(agent, composer);
      await vscode.commands.executeCommand(`${'teamroom.room'}.focus`);
      room.reveal(agent, composer);
    },
    openDiff: (session, agent, path) => diffs.openFile(session, agent, path),
    openAllDiffs: (session, agent) => diffs.openAll(session, agent),
    openTranscript: async (session, agent, name) => showText(transcriptUri(session, agent, name)),
    openRequest: async (session, step) => showText(requestUri(session, step)),
    saveFile,
    copy: async (text) => vscode.env.clipboard.writeText(text),
    showRow: async (key) => {
      room.revealRow(key);
      await vscode.commands.executeCommand(`${'teamroom.room'}.focus`);
      room.revealRow(key);
    },
    openFolder: async (path) => {
      await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(path));
    },
    chooseFolder: async (label) => {
      const chosen = await vscode.window.showOpenDialog({
        canSelectFiles: false,
        canSelectFolders: true,
        canSelectMany: false,
        openLabel: label,
      });
      return chosen?.[0]?.fsPath ?? null;
    },
    run: async (command, ...args) => vscode.commands.executeCommand(command, ...args),
    subject,
    sampleHome: join(globalDir, 'samples'),
  };
}

async function showText(uri: vscode.Uri): Promise<void> {
  await vscode.window.showTextDocument(uri, { preview: true });
}

/** Written piece by piece: a long history is never a whole text in memory. */
async function saveFile(
  name: string,
  write: (append: (text: string) => Promise<void>) => Promise<void>,
): Promise<string | null> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showSaveDialog({
    ...(folder !== undefined && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (chosen === undefined) return null;
  if (chosen.scheme !== 'file') {
    let whole = '';
    await write(async (text) => {
      whole += text;
    });
    await vscode.workspace.fs.writeFile(chosen, Buffer.from(whole));
    return chosen.toString();
  }
  const file = await open(chosen.fsPath, 'w');
  try {
    await write(async (text) => {
      await file.write(text);
    });
  } finally {
    await file.close();
  }
  return chosen.fsPath;
}

/**
 * What the person pointed at: files of the Explorer that the command was called on. The text selected in the editor
 * counts only when the command comes from its menu, else a forgotten selection would go along with every task.
 */
function subject(args: readonly unknown[]): string | null {
  const [first, several] = args;
  const uris = Array.isArray(several) ? several.filter(isUri) : isUri(first) ? [first] : [];
  if (uris.length === 0) return null;
  const names = uris.map((uri) => vscode.workspace.asRelativePath(uri)).join(', ');
  const selected = uris.length === 1 && uris[0] !== undefined ? selectedText(uris[0]) : null;
  return selected === null ? names : `${names}\n\n${selected}`;
}

const isUri = (value: unknown): value is vscode.Uri => value instanceof vscode.Uri;

/** The selection in this file, with its lines; null: there is none. */
function selectedText(uri: vscode.Uri): string | null {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty || editor.document.uri.toString() !== uri.toString()) {
    return null;
  }
  const { start, end } = editor.selection;
  const lines = `${start.line + 1}-${end.line + 1}`;
  const text = editor.document.getText(editor.selection);
  return text.length > LONGEST_QUOTE ? `(${lines})` : `(${lines})\n${text}`;
}
