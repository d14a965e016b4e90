import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TeamEvent } from '../../../src/shared/events';
import type { State } from '../../../src/shared/state';
import { cacheRoot } from './install';

/** A line that the observer has written: what another extension has seen through the exported API. */
export type Seen =
  | {
      readonly type: 'events';
      /** Process of the extension host. */
      readonly host: number;
      readonly session: string;
      readonly events: readonly TeamEvent[];
    }
  | {
      readonly type: 'opened';
      readonly host: number;
      readonly session: string;
      readonly state: State;
    };

/** Where the observer of a window on `folder` writes. */
export const seenFile = (folder: string): string => `${folder}.seen.jsonl`;

/** All that was seen of a folder so far, in order; a line that is just being written is left out. */
export async function seenOf(folder: string): Promise<readonly Seen[]> {
  const file = seenFile(folder);
  if (!existsSync(file)) return [];
  const text = await readFile(file, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line): Seen => JSON.parse(line));
}

/**
 * A packaged extension that does nothing but write down, outside of the workspace, what it sees through Teamroom's
 * API: every event that it is told, and each session as it finds it when its window opens. Kept in the cache folder.
 */
export async function packagedObserver(): Promise<string> {
  const content = JSON.stringify({ manifest, source });
  const name = `observer-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.vsix`;
  const path = join(cacheRoot(), name);
  if (existsSync(path)) return path;
  await mkdir(cacheRoot(), { recursive: true });
  const folder = await mkdtemp(join(cacheRoot(), 'observer-'));
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'extension.js'), source);
    await writeFile(join(folder, 'README.md'), 'Writes down what it sees.\n');
    await rename(await vsce(folder, name), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return path;
}

/** As a process of its own: the packager talks a lot. */
function vsce(folder: string, name: string): Promise<string> {
  const main = join(process.cwd(), 'node_modules/@vscode/vsce/vsce');
  const args = [
    'package',
    '--no-dependencies',
    '--allow-missing-repository',
    '--skip-license',
    '--out',
    name,
  ];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [main, ...args], { cwd: folder }, (error, stdout, stderr) => {
      if (error === null) resolve(join(folder, name));
      else reject(new Error(`the observer could not be packaged: ${stdout}${stderr}`));
    });
  });
}

const manifest = {
  name: 'teamroom-observer',
  publisher: 'teamroom',
  version: '0.0.1',
  engines: { vscode: '^1.103.0' },
  main: './extension.js',
  files: ['extension.js'],
  extensionKind: ['workspace'],
  activationEvents: ['onStartupFinished'],
  capabilities: { untrustedWorkspaces: { supported: true } },
};

/** It listens before it looks, so that nothing can fall between the two. */
const source = `
const { appendFileSync } = require('node:fs');
const vscode = require('vscode');

exports.activate = async () => {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const teamroom = vscode.extensions.getExtension('teamroom.teamroom');
  if (folder === undefined || teamroom === undefined) return;
  const write = (line) =>
    appendFileSync(folder.uri.fsPath + '.seen.jsonl', JSON.stringify({ host: process.pid, ...line }) + '\\n');
  const api = await teamroom.activate();
  api.onDidChange(({ session, events }) => write({ type: 'events', session, events }));
  for (const session of await api.sessions()) {
    write({ type: 'opened', session, state: await api.state(session) });
  }
};
`;
