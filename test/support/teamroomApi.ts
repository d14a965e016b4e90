import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { State } from '../../src/shared/state';
import type { TeamroomApi } from '../../src/vscode/api';
import type { ScriptedModel } from './scriptedModel';

/** The API of the installed extension, as any other extension gets it. */
export async function teamroom(): Promise<TeamroomApi> {
  const extension = vscode.extensions.getExtension<TeamroomApi>('teamroom.teamroom');
  assert.ok(extension, 'the VSIX is installed');
  return extension.activate();
}

/** Makes the scripted server the only model of this machine's settings. */
export async function useModel(server: ScriptedModel, more: object = {}): Promise<void> {
  const entry = {
    id: 'scripted',
    provider: 'openai',
    baseUrl: server.url,
    model: 'scripted-1',
    price: { input: 1, output: 2 },
    ...more,
  };
  const settings = vscode.workspace.getConfiguration('teamroom');
  await settings.update('models', [entry], vscode.ConfigurationTarget.Global);
}

/** Resolves with the first state that answers yes; no time limit but the test's own. */
export async function until(
  api: TeamroomApi,
  session: string,
  holds: (state: State) => boolean,
): Promise<State> {
  const now = await api.state(session);
  if (holds(now)) return now;
  return new Promise((resolve) => {
    const subscription = api.onDidChange((change) => {
      if (change.session !== session || !holds(change.state)) return;
      subscription.dispose();
      resolve(change.state);
    });
  });
}

export const isQuiet = (state: State): boolean => state.open.runs.length === 0;

export function workspaceRoot(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'a folder is open');
  return folder.uri.fsPath;
}
