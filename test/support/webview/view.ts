import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { systemClock } from '../../../src/base/clock';
import { Feed, isFeedRequest } from '../../../src/shared/project/feed';
import type { Surroundings } from '../../../src/shared/project/who';
import type { Act, HostToView, ViewToHost } from '../../../src/shared/protocol';
import type { State } from '../../../src/shared/state';
import { currentStrings } from '../../../src/shared/texts';
import { parseViewMessage } from '../../../src/shared/viewSchema';
import { findBrowser } from '../vscode/window';
import { oneModel } from './story';
import { bodyClass, type ThemeName, themeStyle } from './themes';

const browserArgs = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];

/** The webview's own scripts, built as the product's. */
async function buildWebview(): Promise<readonly string[]> {
  const outDir = await mkdtemp(join(tmpdir(), 'teamroom-webview-'));
  const build = pathToFileURL(resolve('.ci/build.mjs')).href;
  const script = `import { build } from '${build}'; await build({ only: ['webview', 'markdown'], outDir: process.argv[1], quiet: true });`;
  try {
    await new Promise<void>((done, fail) => {
      execFile(process.execPath, ['--input-type=module', '-e', script, outDir], (error, _, stderr) =>
        error === null ? done() : fail(new Error(stderr)),
      );
    });
    const scripts = ['webview.js', 'markdown.js'].map((name) => readFile(join(outDir, name), 'utf8'));
    return await Promise.all(scripts);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** One browser and one build for a test file. */
export class ViewBench {
  readonly #browser: Browser;
  readonly #scripts: readonly string[];

  private constructor(browser: Browser, scripts: readonly string[]) {
    this.#browser = browser;
    this.#scripts = scripts;
  }

  static async start(): Promise<ViewBench> {
    const executablePath = findBrowser();
    if (executablePath === undefined) throw new Error('there is no Chromium: install the package "chromium"');
    const scripts = await buildWebview();
    return new ViewBench(await chromium.launch({ executablePath, args: browserArgs }), scripts);
  }

  async open(options: ViewOptions): Promise<TestView> {
    const page = await this.#browser.newPage({
      viewport: { width: options.width ?? 340, height: options.height ?? 780 },
      reducedMotion: 'reduce',
    });
    const view = new TestView(page, options);
    await view.load(options.plain === true ? this.#scripts.slice(0, 1) : this.#scripts);
    return view;
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }
}

export interface ViewOptions {
  readonly state: State | null;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly around?: Surroundings;
  /** Without the script that reads markdown. */
  readonly plain?: boolean;
  /** What the editor kept of an earlier page. */
  readonly remembered?: unknown;
  /** Answers what the feed does not: acts, diffs, whole texts. */
  readonly answer?: (message: ViewToHost) => HostToView | null;
}

const NONCE = 'n0nce';

/** The page of the Room, with the real feed in the place of the extension. */
export class TestView {
  readonly page: Page;
  readonly feed: Feed;
  readonly acts: Act[] = [];
  readonly received: ViewToHost[] = [];
  readonly posted: HostToView[] = [];
  /** What the browser refused, and scripts that failed. */
  readonly complaints: string[] = [];
  readonly #options: ViewOptions;
  #posting: Promise<unknown> = Promise.resolve();

  constructor(page: Page, options: ViewOptions) {
    this.page = page;
    this.#options = options;
    this.feed = new Feed((message) => this.post(message), systemClock, currentStrings());
    this.feed.surroundings(options.around ?? oneModel);
    this.feed.open(options.state);
  }

  async load(scripts: readonly string[]): Promise<void> {
    const { page } = this;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await page.exposeFunction('hostReceives', (message: unknown) => this.#receive(message));
    await page.route('**/*', (route) =>
      route.request().url() === 'http://room.test/'
        ? route.fulfill({ contentType: 'text/html', body: this.#html(scripts) })
        : route.abort(),
    );
    await page.goto('http://room.test/');
    try {
      await page.waitForFunction(
        () => document.querySelector('room-app')?.shadowRoot?.querySelector('.top'),
        null,
        {
          timeout: 10_000,
        },
      );
    } catch (error) {
      throw new Error(`the view did not come up: ${this.complaints.join('; ')}`, { cause: error });
    }
  }

  #html(scripts: readonly string[]): string {
    const theme = this.#options.theme ?? 'dark';
    const policy = `default-src 'none'; script-src 'nonce-${NONCE}'; style-src 'unsafe-inline'; img-src 'self'`;
    const state = JSON.stringify(this.#options.remembered ?? null).replaceAll('<', '\\u003c');
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Room</title>
<meta http-equiv="Content-Security-Policy" content="${policy}"><style>${themeStyle(theme)}</style></head>
<body class="${bodyClass(theme)}"><script nonce="${NONCE}">
window.remembered = ${state};
window.acquireVsCodeApi = () => ({ postMessage: (m) => { window.readyAt ??= performance.now(); window.hostReceives(m); }, getState: () => window.remembered, setState: (s) => { window.remembered = s; } });
const look = () => requestAnimationFrame(() => {
  const list = document.querySelector('room-app')?.shadowRoot?.querySelector('row-list')?.shadowRoot;
  if (list?.querySelector('.row[data-key]') == null) look();
  else requestAnimationFrame(() => { window.paintedAt = performance.now(); });
});
look();
</script>${scripts.map((script) => `<script nonce="${NONCE}">${script.replaceAll('</script', '<\\/script')}</script>`).join('')}</body></html>`;
  }

  #receive(raw: unknown): void {
    const parsed = parseViewMessage(raw);
    if (!parsed.ok) throw new Error(`the view sent what it may not: ${parsed.error}`);
    const message = parsed.value;
    this.received.push(message);
    if (isFeedRequest(message)) {
      this.feed.receive(message);
      return;
    }
    if (message.type === 'act') this.acts.push(message.what);
    const answer = this.#options.answer?.(message) ?? null;
    if (answer !== null) this.post(answer);
    else if (message.type === 'act') this.post({ type: 'acted', act: message.act, ok: true, words: '' });
  }

  post(message: HostToView): void {
    this.posted.push(message);
    this.#posting = this.#posting.then(() =>
      this.page.evaluate((data) => window.postMessage(data, '*'), message as unknown),
    );
  }

  /** Milliseconds from the view's `ready` to the frame after its first rows. */
  async openTime(): Promise<number> {
    await this.page.waitForFunction(() => 'paintedAt' in window);
    return this.page.evaluate(() => {
      const { paintedAt = 0, readyAt = 0 } = window as { paintedAt?: number; readyAt?: number };
      return paintedAt - readyAt;
    });
  }

  /** Resolves when everything posted so far has been drawn. */
  async settled(): Promise<void> {
    await this.#posting;
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
    );
  }

  close(): Promise<void> {
    this.feed.dispose();
    return this.page.close();
  }
}
