import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Editor } from './install';
import { descendants, killIfThere } from './processes';

export interface ServerOptions {
  readonly editor: Editor;
  /** Everything that this server keeps: settings, storage, installed extensions, its log. */
  readonly dataDir: string;
  /** False: windows start in Restricted Mode, as they do for a person who has not trusted the folder. */
  readonly trustAll?: boolean;
  /** How long an extension host outlives a lost browser, in seconds; null leaves VS Code's default of 3 hours. */
  readonly graceSeconds?: number | null;
  /**
   * Its windows take test payloads. A built VS Code does so with this driver alone, which in old versions answers
   * dialogs by itself: only for tests in the extension host.
   */
  readonly payloads?: boolean;
  /** Written to the machine settings before the start; keys as in settings.json. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly editor: Editor;
  /** Process ids of the extension hosts that run now. */
  extensionHosts(): Promise<readonly number[]>;
  /** Kills every extension host the hard way and answers which ones they were. */
  killExtensionHosts(): Promise<readonly number[]>;
  /** Ends the server and all processes under it. */
  stop(): Promise<void>;
}

export const extensionsDir = (dataDir: string): string => join(dataDir, 'e');

/** Merges settings into the machine settings of a server's data folder; a running server takes them up by itself. */
export async function writeMachineSettings(
  dataDir: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const folder = join(dataDir, 'data/Machine');
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'settings.json');
  const old = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const before: Record<string, unknown> = JSON.parse(old);
  await writeFile(path, `${JSON.stringify({ ...before, ...settings }, null, 2)}\n`);
}

/** Installs packaged extensions the way a person does from the command line. */
export async function installVsix(
  editor: Editor,
  dataDir: string,
  ...vsixs: readonly string[]
): Promise<void> {
  const own = ['--accept-server-license-terms', '--server-data-dir', dataDir];
  await install(editor, dataDir, [editor.serverMain, ...own], vsixs);
}

/** The same for the front that a person uses. */
export async function installForPerson(editor: Editor, dataDir: string, vsix: string): Promise<void> {
  await install(editor, dataDir, [editor.personEntry, '--user-data-dir', dataDir], [vsix]);
}

async function install(
  editor: Editor,
  dataDir: string,
  entry: readonly string[],
  vsixs: readonly string[],
): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const wanted = vsixs.flatMap((vsix) => ['--install-extension', vsix]);
  const args = [...entry, '--extensions-dir', extensionsDir(dataDir), ...wanted, '--force'];
  await new Promise<void>((resolve, reject) => {
    execFile(editor.node, args, (error, stdout, stderr) => {
      const installed = stdout.match(/successfully installed/g)?.length ?? 0;
      if (error === null && installed === vsixs.length) resolve();
      else reject(new Error(`could not install ${vsixs.join(', ')}: ${stdout}${stderr}`));
    });
  });
}

/** Starts VS Code's server on a free port and resolves when it listens. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { editor, dataDir } = options;
  await mkdir(dataDir, { recursive: true });
  await writeMachineSettings(dataDir, { ...quietSettings, ...options.settings });
  const port = await freePort();
  const child = spawn(editor.node, serverArgs(options, port), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const log = createWriteStream(join(dataDir, 'server.log'), { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  endWithThisProcess(child);
  await listening(child);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    dataDir,
    editor,
    extensionHosts: () => extensionHosts(child.pid ?? -1),
    killExtensionHosts: async () => {
      const pids = await extensionHosts(child.pid ?? -1);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      return pids;
    },
    stop: async () => {
      await endTree(child);
      log.end();
    },
  };
}

/** Nothing that opens by itself, so that a window shows what a test put into it. */
const quietSettings = {
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'window.restoreWindows': 'none',
};

function serverArgs(options: ServerOptions, port: number): string[] {
  const grace = options.graceSeconds === undefined ? 5 : options.graceSeconds;
  return [
    options.editor.serverMain,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--without-connection-token',
    '--accept-server-license-terms',
    '--server-data-dir',
    options.dataDir,
    '--extensions-dir',
    extensionsDir(options.dataDir),
    '--disable-telemetry',
    ...(options.payloads === true ? ['--enable-smoke-test-driver'] : []),
    ...(grace === null ? [] : ['--reconnection-grace-time', String(grace)]),
    ...(options.trustAll === false ? [] : ['--disable-workspace-trust']),
  ];
}

function listening(child: ChildProcess, sign = /Extension host agent listening on/): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const look = (chunk: Buffer) => {
      seen += chunk.toString();
      if (sign.test(seen)) resolve();
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`the VS Code server ended with ${code}: ${seen.slice(-2000)}`)),
    );
  });
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('no port'));
      });
    });
  });
}

async function extensionHosts(serverPid: number): Promise<readonly number[]> {
  const under = await descendants(serverPid);
  return under.filter((row) => row.command.includes('--type=extensionHost')).map((row) => row.pid);
}

/** A server is the leader of a process group; it must not outlive the test that started it. */
function endWithThisProcess(child: ChildProcess): void {
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) killIfThere(-child.pid);
  };
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
}

async function endTree(child: ChildProcess): Promise<void> {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null) return;
  const under = await descendants(pid);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  killIfThere(pid);
  for (const row of under) killIfThere(row.pid);
  await ended;
}

/** Starts code-server's own front, which a person uses: it keeps secrets over a reload. Runs until it is ended. */
export async function startForPerson(options: {
  readonly editor: Editor;
  readonly dataDir: string;
  readonly folder: string;
}): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const { editor, dataDir, folder } = options;
  const settings = join(dataDir, 'User/settings.json');
  await mkdir(dirname(settings), { recursive: true });
  if (!existsSync(settings)) await writeFile(settings, `${JSON.stringify(quietSettings, null, 2)}\n`);
  const port = await freePort();
  const process = spawn(
    editor.node,
    [
      editor.personEntry,
      ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--user-data-dir', dataDir],
      ...['--extensions-dir', extensionsDir(dataDir), '--disable-telemetry', '--disable-update-check'],
      // The only folder it is started on is the sample that was made just before.
      ...['--disable-workspace-trust', folder],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  await listening(process, /HTTP server listening on/);
  return { url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`, process };
}
