import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { obtainEditor } from './install';
import { runPaletteCommand, typeInQuickInput } from './palette';
import { changedSampleFiles, makeSampleFolder, SAMPLE_TASK } from './sample';
import { screenshot } from './screenshot';
import { installVsix, startServer } from './server';
import {
  expandTree,
  settledText,
  showContainer,
  sidebarWidth,
  type TreeRow,
  treeRows,
  webviewFrame,
  webviewText,
} from './views';
import { openWindow } from './window';

export interface Rehearsed {
  readonly room: string;
  readonly tree: string;
  readonly files: readonly string[];
  /** Path of the picture. */
  readonly screenshot: string;
}

/** How long the whole team may take, in milliseconds. */
const TEAM_MS = 120_000;

/** Lets the team of the rehearsal do the sample task in a real VS Code, from the palette to the lead's answer. */
export async function rehearse(options: {
  readonly vsix: string;
  readonly home: string;
  readonly say: (line: string) => void;
}): Promise<Rehearsed> {
  const { home, say } = options;
  await rm(home, { recursive: true, force: true });
  const editor = await obtainEditor(undefined, say);
  const dataDir = join(home, 'data');
  const folder = await makeSampleFolder(join(home, 'samples'));
  await installVsix(editor, dataDir, options.vsix);
  const server = await startServer({ editor, dataDir });
  try {
    const window = await openWindow(server, { folder, profileDir: join(home, 'profile') });
    try {
      say('delegating the sample task from the command palette');
      await showContainer(window.page, 'Teamroom');
      await delegate(window.page, SAMPLE_TASK);
      await teamFinished(window.page, say);
      const shown = { ...(await look(window.page)), files: await changedSampleFiles(folder) };
      const missing = missingIn(shown);
      if (missing !== null)
        throw new Error(`${missing} (${shown.screenshot}):\n${shown.tree}\n\n${shown.room}`);
      return shown;
    } finally {
      await window.close();
    }
  } finally {
    await server.stop();
  }
}

/** What the rehearsal's end must show and doesn't; null: nothing. A team that failed has come to rest as well. */
function missingIn(shown: Rehearsed): string | null {
  if (!/The report can now be exported as CSV/.test(shown.room)) return 'the lead gave no answer';
  const unfinished = ['lead', 'exporter', 'tester'].filter(
    (name) => !new RegExp(`^\\s*${name}\\s.*finished`, 'm').test(shown.tree),
  );
  if (unfinished.length > 0) return `${unfinished.join(' and ')} did not finish`;
  const files = ['changed README.md', 'new src/csv.js', 'new test/csv.test.js'];
  const absent = files.filter((file) => !shown.files.includes(file));
  return absent.length > 0 ? `not among the changed files: ${absent.join(', ')}` : null;
}

/** Reads the sidebar; the window is made tall for it, since only what can be seen of a long list is there. */
async function look(page: Page): Promise<Omit<Rehearsed, 'files'>> {
  const usual = page.viewportSize() ?? { width: 1280, height: 900 };
  await sidebarWidth(page, 420);
  await expandTree(page, 'Agents');
  const tree = (await treeRows(page, 'Agents')).map(drawRow).join('\n');
  await page.setViewportSize({ width: usual.width, height: 6000 });
  await page.waitForFunction(() => (document.querySelector('.part.sidebar')?.clientHeight ?? 0) > 5000);
  const frame = await webviewFrame(page);
  await frame.waitForFunction(() => window.innerHeight > 2500);
  const room = await settledText(page);
  await page.setViewportSize(usual);
  return { room, tree, screenshot: await screenshot(page, 'rehearsal') };
}

/** Hands a task to a new team the way a person does. */
export async function delegate(page: Page, task: string): Promise<void> {
  await runPaletteCommand(page, 'Teamroom: Delegate a Task…');
  await typeInQuickInput(page, task, 'What should the team do?');
}

/**
 * Answers "Allow once" to whatever the team asks, until nobody works and nobody waits. What is asked is told, since
 * a person would read it.
 */
export async function teamFinished(page: Page, say: (line: string) => void): Promise<void> {
  const until = Date.now() + TEAM_MS;
  for (;;) {
    const frame = await webviewFrame(page);
    const allow = frame
      .locator('vscode-button, button')
      .filter({ hasText: /^\s*Allow once\s*$/ })
      .first();
    if (await allow.isVisible()) {
      await allow.click();
      say('allowed once what an agent asked for');
    } else if (await isDone(page)) return;
    if (Date.now() > until) {
      const picture = await screenshot(page, 'not-finished');
      throw new Error(`the team has not finished (${picture}):\n${await webviewText(page)}`);
    }
    await page.waitForTimeout(200);
  }
}

async function isDone(page: Page): Promise<boolean> {
  const text = await webviewText(page);
  const rows = await treeRows(page, 'Agents');
  return (
    rows.length > 1 && /Nobody is working/.test(text) && !rows.some((row) => /working/.test(row.description))
  );
}

const drawRow = (row: TreeRow): string =>
  `${'  '.repeat(row.level - 1)}${row.label}  ${row.description}`.trimEnd();
