import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A VS Code whose server, extension host and workbench are real, had from the package registry. */
export interface Editor {
  /** Of VS Code, "1.139.1". */
  readonly version: string;
  /** The Node that this version needs; the machine's own may be older. */
  readonly node: string;
  /** VS Code's own server: takes test payloads. */
  readonly serverMain: string;
  /** The front for a person: answers the key request, so that secrets survive a reload. */
  readonly personEntry: string;
}

/** Which package versions make up which VS Code; both were tried. */
const releases = {
  newest: { server: '4.139.1', node: '24', version: '1.139.1' },
  oldest: { server: '4.103.2', node: '22', version: '1.103.2' },
} as const;

export type Release = keyof typeof releases;

/** Where big things are kept between runs, outside the repository. */
export const cacheRoot = (): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'teamroom');

/**
 * Answers a VS Code from the cache; the first time it is installed there (under a minute, about 830 MB).
 * @throws when the platform has no prebuilt Node package, or the package registry can't be reached
 */
export async function obtainEditor(
  release: Release = chosenRelease(),
  say: (line: string) => void = console.log,
): Promise<Editor> {
  const wanted = releases[release];
  const folder = join(cacheRoot(), `vscode-${wanted.server}`);
  const editor = describe(folder, wanted.version);
  if (await isComplete(editor)) return editor;
  say(`installing VS Code ${wanted.version} into ${folder} (once, about 830 MB)`);
  await install(folder, wanted.server, wanted.node);
  if (!(await isComplete(editor)))
    throw new Error(`VS Code was installed into ${folder}, but is not complete`);
  return editor;
}

/** TEAMROOM_VSCODE=oldest runs the tests in the oldest VS Code that the manifest promises. */
const chosenRelease = (): Release => (process.env['TEAMROOM_VSCODE'] === 'oldest' ? 'oldest' : 'newest');

const nodePackage = (): string => {
  if (process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64'))
    return `node-linux-${process.arch}`;
  throw new Error(
    `there is no VS Code server for ${process.platform} ${process.arch}; use a desktop VS Code`,
  );
};

function describe(folder: string, version: string): Editor {
  const server = join(folder, 'node_modules/code-server');
  return {
    version,
    node: join(folder, 'node_modules', nodePackage(), 'bin/node'),
    serverMain: join(server, 'lib/vscode/out/server-main.js'),
    personEntry: join(server, 'out/node/entry.js'),
  };
}

/** All three installations ended, as far as can be seen: the last one leaves modules in the extensions folder. */
async function isComplete(editor: Editor): Promise<boolean> {
  const vscode = join(editor.serverMain, '../..');
  const needed = [
    editor.node,
    editor.serverMain,
    editor.personEntry,
    join(vscode, 'node_modules/node-pty'),
    join(vscode, 'extensions/node_modules'),
  ];
  if (!needed.every((path) => existsSync(path))) return false;
  const product: unknown = JSON.parse(await readFile(join(vscode, 'package.json'), 'utf8'));
  return typeof product === 'object' && product !== null;
}

/** Installs into a folder of its own and moves it into place, so that a cut installation is never taken for one. */
async function install(folder: string, server: string, node: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await writeFile(join(partial, 'package.json'), '{"private":true}\n');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const packages = [`code-server@${server}`, `${nodePackage()}@${node}`];
  await npm(partial, ['install', '--ignore-scripts', '--force', ...quiet, ...packages]);
  const vscode = join(partial, 'node_modules/code-server/lib/vscode');
  await npm(vscode, ['install', '--omit=dev', '--ignore-scripts', ...quiet]);
  await npm(join(vscode, 'extensions'), ['install', '--omit=dev', '--ignore-scripts', ...quiet]);
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

function npm(cwd: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('npm', [...args], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`npm ${args.join(' ')} failed in ${cwd}: ${stderr.slice(-2000)}`));
    });
  });
}
