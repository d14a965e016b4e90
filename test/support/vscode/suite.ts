import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Editor, obtainEditor, type Release } from './install';
import { packagedObserver } from './observer';
import { screenshot } from './screenshot';
import { installVsix, type Server, type ServerOptions, startServer } from './server';
import { openWindow, type Window, type WindowOptions } from './window';

/** How long one test in a real VS Code may take, in milliseconds. */
export const E2E_MS = 180_000;

export interface Suite {
  readonly editor: Editor;
  readonly server: Server;
  /** A folder of this suite's own; removed at its end. */
  readonly scratch: string;
  /** Opens a window that is closed at the end of the suite if the test has not done so. */
  open(options: Omit<WindowOptions, 'profileDir'> & { readonly profileDir?: string }): Promise<Window>;
}

/**
 * One server for a `describe`, with the packaged extension installed; call it inside of it.
 * @returns a function that answers the suite once its `before` has run
 */
export function useSuite(
  options: Omit<ServerOptions, 'editor' | 'dataDir'> & {
    readonly release?: Release;
    /** A second extension writes down what it sees through the exported API: see `seenOf`. */
    readonly observed?: boolean;
  } = {},
): () => Suite {
  let suite: Suite | undefined;
  const windows: Window[] = [];

  before(async function () {
    this.timeout(E2E_MS);
    const { release, observed, ...serverOptions } = options;
    const scratch = await mkdtemp(join(tmpdir(), 'teamroom-e2e-'));
    const editor = await obtainEditor(release ?? releaseOfRun());
    const dataDir = join(scratch, 'data');
    const observer = observed === true ? [await packagedObserver()] : [];
    await installVsix(editor, dataDir, await vsix(), ...observer);
    const server = await startServer({ ...serverOptions, editor, dataDir });
    const open: Suite['open'] = async (windowOptions) => {
      const window = await openWindow(server, { profileDir: join(scratch, 'profile'), ...windowOptions });
      windows.push(window);
      return window;
    };
    suite = { editor, server, scratch, open };
  });

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    // What a person would have seen is worth more than what could not be found.
    for (const [n, { page }] of windows.entries()) {
      const name = `failed-${this.currentTest.fullTitle().replaceAll(/\W+/g, '-').slice(0, 80)}-${n}`;
      if (!page.isClosed()) console.log(`    window ${n}: ${await screenshot(page, name)}`);
    }
  });

  after(async function () {
    this.timeout(E2E_MS);
    await Promise.all(windows.map((window) => window.close()));
    await suite?.server.stop();
    if (suite !== undefined) await rm(suite.scratch, { recursive: true, force: true, maxRetries: 5 });
  });

  return () => {
    if (suite === undefined) throw new Error('the suite has not started');
    return suite;
  };
}

/** For a story in several tests: those after one that has failed don't run, and one line says so. Inside a `describe`. */
export function eachGoesOn(): void {
  let failed: string | undefined;
  beforeEach(() => {
    if (failed !== undefined) throw new Error(`the story ended with "${failed}"`);
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') failed = this.currentTest.title;
  });
}

/** TEAMROOM_VSCODE=oldest runs the suite in the oldest VS Code that the manifest promises. */
const releaseOfRun = (): Release => (process.env['TEAMROOM_VSCODE'] === 'oldest' ? 'oldest' : 'newest');

/** The packaged extension: the one that `npm test` has built, or one built now. */
async function vsix(): Promise<string> {
  const given = process.env['TEAMROOM_VSIX'];
  if (given !== undefined) return given;
  await node('.ci/build.mjs');
  const packed = await node('.ci/vsix.mjs');
  const path = /^(\S+\.vsix) /m.exec(packed)?.[1];
  if (path === undefined) throw new Error(`no VSIX was packaged: ${packed}`);
  return path;
}

function node(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script], (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${script} failed: ${stdout}${stderr}`));
    });
  });
}
