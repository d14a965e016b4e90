import type { Locator, Page } from 'playwright-core';
import { until } from './eventually';
import { webviewFrame } from './views';

/** What a person does in the Room. Each looks for the page anew: it is made again when the view or the window is. */

const inRoom = async (page: Page, selector: string): Promise<Locator> =>
  (await webviewFrame(page, 'room-app')).locator(selector);

export async function showTab(page: Page, tab: 'room' | 'tree' | 'changes'): Promise<void> {
  const button = await inRoom(page, `#tab-${tab}`);
  await button.click();
  await (await inRoom(page, `#tab-${tab}[aria-selected="true"]`)).waitFor();
}

/** The newest row of the tab that is shown with this text in it. */
export async function roomRow(page: Page, text: string | RegExp): Promise<Locator> {
  return (await inRoom(page, '.row')).filter({ hasText: text }).last();
}

/** The frame of a row that asks the person for something and still waits. */
export async function askCard(page: Page, text: string | RegExp): Promise<Locator> {
  const card = (await inRoom(page, '.row:has(.asking)')).filter({ hasText: text }).last();
  await card.waitFor();
  return card;
}

/** A strip above the timeline: what holds for all of it. */
export async function roomBanner(page: Page, text: string | RegExp): Promise<Locator> {
  return (await inRoom(page, '.banner')).filter({ hasText: text }).first();
}

/** Presses a button by its words, or one that is only a picture by its label. */
export async function press(inside: Locator, words: string): Promise<void> {
  const literal = words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  await inside
    .locator('vscode-button')
    .filter({ hasText: new RegExp(`^\\s*${literal}\\s*$`) })
    .or(inside.locator(`vscode-button[aria-label="${words}"]`))
    .first()
    .click();
}

/** Writes into the card's own field and sends it with Enter. */
export async function replyIn(card: Locator, text: string): Promise<void> {
  const field = card.locator('textarea');
  await field.fill(text);
  await field.press('Enter');
}

/** Writes a message below the timeline and sends it with Enter; `@name ` in front names a member. */
export async function writeMessage(page: Page, text: string): Promise<void> {
  const field = await inRoom(page, 'textarea[data-name="composer"]');
  await field.fill(text);
  await field.press('Enter');
  // It is empty again when the host has taken what was written.
  await until(
    'the message is taken',
    () => field.inputValue(),
    (value) => value === '',
  );
}

/** What the rows of the tab that is shown say, top to bottom, as one line each; only what is in sight is there. */
export async function roomTexts(page: Page): Promise<readonly string[]> {
  const texts = await (await inRoom(page, '.row')).allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

/** The rows of the Tree tab as "name (role): what it does". */
export async function treeTabRows(page: Page): Promise<readonly string[]> {
  return await (await inRoom(page, '.row.agent')).evaluateAll(readTreeRows);
}

/** In the page; the sentence may be cut there, its title is whole. */
function readTreeRows(rows: readonly Element[]): string[] {
  return rows.map((row) => {
    const name = row.querySelector('.name')?.textContent?.trim();
    const doing = row.querySelector('.doing')?.getAttribute('title');
    return `${name} (${row.getAttribute('aria-description')}): ${doing}`;
  });
}

/** Answers a modal question of the editor; `asks` must be part of it. */
export async function answerDialog(page: Page, asks: string | RegExp, label: string): Promise<void> {
  const dialog = page.locator('.monaco-dialog-box').filter({ hasText: asks });
  await dialog.waitFor();
  await dialog.locator('.monaco-button', { hasText: label }).first().click();
  await dialog.waitFor({ state: 'hidden' });
}
