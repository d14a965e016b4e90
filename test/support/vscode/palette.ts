import type { Locator, Page } from 'playwright-core';

/** The one input at the top: command palette, quick pick, input box. */
const widget = (page: Page): Locator => page.locator('.quick-input-widget');
const input = (page: Page): Locator => widget(page).locator('.quick-input-box input');
const rows = (page: Page): Locator => widget(page).locator('.quick-input-list .monaco-list-row');

/** An extension registers its commands after its host has started. */
const COMMAND_MS = 60_000;

/** Runs a command by the title that the palette shows, e.g. "Teamroom: Delegate a Task…". */
export async function runPaletteCommand(page: Page, title: string): Promise<void> {
  const row = rows(page)
    .filter({ has: page.locator('.label-name', { hasText: exactly(title) }) })
    .first();
  await paletteShowing(page, title, row);
  await row.click();
  await page.waitForFunction(paletteIsGone);
}

/** The palette lists what was there when it was opened, so it is opened again until `row` is among it. */
async function paletteShowing(page: Page, text: string, row: Locator): Promise<void> {
  const until = Date.now() + COMMAND_MS;
  for (;;) {
    await openPalette(page);
    await input(page).fill(`>${text}`);
    const found = await row.waitFor({ timeout: 1000 }).then(
      () => true,
      () => false,
    );
    if (found) return;
    if (Date.now() > until) throw new Error(`the palette has not offered "${text}" within ${COMMAND_MS} ms`);
  }
}

/** In the page: the palette has closed, or another input has taken its place. */
function paletteIsGone(): boolean {
  const box = document.querySelector<HTMLElement>('.quick-input-widget');
  if (box === null || box.style.display === 'none') return true;
  const field = box.querySelector<HTMLInputElement>('.quick-input-box input');
  return field === null || !field.value.startsWith('>');
}

/** Titles that the palette offers for a text, as shown; waits until one of them begins with it. */
export async function paletteOffers(page: Page, text: string): Promise<readonly string[]> {
  const beginning = new RegExp(`^\\s*${literally(text)}`);
  const first = rows(page)
    .filter({ has: page.locator('.label-name', { hasText: beginning }) })
    .first();
  await paletteShowing(page, text, first);
  const titles = await rows(page).locator('.label-name').allInnerTexts();
  await closeQuickInput(page);
  return titles.map((title) => title.trim());
}

async function openPalette(page: Page): Promise<void> {
  await closeQuickInput(page);
  await page.keyboard.press('F1');
  await input(page).waitFor({ state: 'visible', timeout: COMMAND_MS });
}

/** Types into the input box that asks for a text, and confirms. `prompt` must be part of what it says. */
export async function typeInQuickInput(page: Page, text: string, prompt?: string): Promise<void> {
  await quickInputSaying(page, prompt);
  await input(page).fill(text);
  await input(page).press('Enter');
}

/** Chooses the row whose label is `label` from an open quick pick. `prompt` must be part of what it says. */
export async function pickInQuickInput(page: Page, label: string | RegExp, prompt?: string): Promise<void> {
  await quickInputSaying(page, prompt);
  const hasText = typeof label === 'string' ? exactly(label) : label;
  const row = rows(page)
    .filter({ has: page.locator('.label-name', { hasText }) })
    .first();
  await row.click();
}

/** The labels of the open quick pick. */
export async function quickPickLabels(page: Page): Promise<readonly string[]> {
  await rows(page).first().waitFor();
  return (await rows(page).locator('.label-name').allInnerTexts()).map((label) => label.trim());
}

/** What the open input says: title, placeholder, message. */
export async function quickInputText(page: Page): Promise<string> {
  await input(page).waitFor({ state: 'visible' });
  return await widget(page).evaluate(textOf);
}

function textOf(box: Element): string {
  const field = box.querySelector<HTMLInputElement>('.quick-input-box input');
  const parts = ['.quick-input-title', '.quick-input-message', '.quick-input-description'];
  return [...parts.map((part) => box.querySelector(part)?.textContent ?? ''), field?.placeholder ?? ''].join(
    '\n',
  );
}

export async function closeQuickInput(page: Page): Promise<void> {
  if (!(await input(page).isVisible())) return;
  await page.keyboard.press('Escape');
  await input(page).waitFor({ state: 'hidden' });
}

async function quickInputSaying(page: Page, prompt: string | undefined): Promise<void> {
  await input(page).waitFor({ state: 'visible', timeout: COMMAND_MS });
  if (prompt === undefined) return;
  await page.waitForFunction(inputSays, prompt, { timeout: COMMAND_MS });
}

/** In the page. */
function inputSays(prompt: string): boolean {
  const box = document.querySelector('.quick-input-widget');
  const field = box?.querySelector<HTMLInputElement>('.quick-input-box input');
  return `${box?.textContent ?? ''}\n${field?.placeholder ?? ''}`.includes(prompt);
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const exactly = (text: string): RegExp => new RegExp(`^\\s*${literally(text)}\\s*$`);
