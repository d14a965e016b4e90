import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContext, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { killIfThere, processes } from './processes';
import type { Server } from './server';

/** Where Debian and its kin put Chromium; CHROMIUM names another one. */
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a Chromium, or undefined if the machine has none. */
export const findBrowser = (): string | undefined =>
  [process.env['CHROMIUM'], ...browsers].find((path) => path !== undefined && existsSync(path));

export interface WindowOptions {
  /** Absolute path of the folder to open. */
  readonly folder: string;
  /** The browser's own storage; the same folder again is the same person coming back. */
  readonly profileDir: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Runs a test suite inside the extension host; see `runInExtensionHost`. */
  readonly payload?: readonly (readonly [string, string])[];
  /** Called with each line of the browser's console. */
  readonly onConsole?: (line: string) => void;
  /** Functions that the page can call; the run of a test payload reports through two of them. */
  readonly expose?: Readonly<Record<string, (...args: unknown[]) => void>>;
  /** False shows the browser to a person. */
  readonly headless?: boolean;
}

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Reloads the page: for VS Code a graceful end of the window. */
  reload(): Promise<void>;
  /** Ends the browser the hard way, as a crash does: the extension host is told nothing. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** How long the first load of a workbench may take, in milliseconds; it needs 7 to 15 s. */
const LOAD_MS = 90_000;

/** Opens a folder in a browser window and resolves when the workbench can be used. */
export async function openWindow(server: Server, options: WindowOptions): Promise<Window> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('there is no Chromium: install the package "chromium"');
  const context = await chromium.launchPersistentContext(options.profileDir, {
    executablePath,
    headless: options.headless ?? true,
    args: browserArgs,
    viewport: options.viewport ?? { width: 1280, height: 900 },
  });
  try {
    await answerKeyRequests(context, options.profileDir);
    const page = context.pages()[0] ?? (await context.newPage());
    const { onConsole } = options;
    if (onConsole !== undefined) page.on('console', (message: ConsoleMessage) => onConsole(message.text()));
    for (const [name, call] of Object.entries(options.expose ?? {})) await page.exposeFunction(name, call);
    await page.goto(windowUrl(server, options), { timeout: LOAD_MS });
    if (options.payload === undefined) await workbenchReady(page);
    return {
      page,
      context,
      reload: async () => {
        await page.reload({ timeout: LOAD_MS });
        await workbenchReady(page);
      },
      kill: () => killBrowser(context, options.profileDir),
      close: () => context.close(),
    };
  } catch (error) {
    await context.close();
    throw error;
  }
}

export function windowUrl(server: Server, options: Pick<WindowOptions, 'folder' | 'payload'>): string {
  const query = new URLSearchParams({ folder: options.folder });
  if (options.payload !== undefined) query.set('payload', JSON.stringify(options.payload));
  return `${server.url}/?${query.toString()}`;
}

/** Resolves when the workbench has drawn itself and its extension host answers. */
export async function workbenchReady(page: Page): Promise<void> {
  await page.locator('.monaco-workbench').waitFor({ timeout: LOAD_MS });
  await page.locator('.part.activitybar, .part.sidebar').first().waitFor({ timeout: LOAD_MS });
  await page.locator('.statusbar-item').first().waitFor({ timeout: LOAD_MS });
}

/**
 * The workbench asks its server for the key that its secrets are kept with; code-server's front answers that, VS
 * Code's own server does not, and then secrets are gone after a reload. The key lies in the profile.
 */
async function answerKeyRequests(context: BrowserContext, profileDir: string): Promise<void> {
  const path = join(profileDir, 'secret-key');
  await mkdir(profileDir, { recursive: true });
  if (!existsSync(path)) await writeFile(path, randomBytes(32));
  const key = await readFile(path);
  await context.route('**/mint-key', (route) => route.fulfill({ status: 200, body: key }));
}

async function killBrowser(context: BrowserContext, profileDir: string): Promise<void> {
  const all = await processes();
  const main = all.find(
    (row) => row.command.includes(`--user-data-dir=${profileDir}`) && !row.command.includes('--type='),
  );
  if (main === undefined) throw new Error(`no browser runs with the profile ${profileDir}`);
  const closed = new Promise<void>((resolve) => context.once('close', () => resolve()));
  killIfThere(main.pid);
  await closed;
}
