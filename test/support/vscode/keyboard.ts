import type { Locator, Page } from 'playwright-core';
import { until } from './eventually';
import { webviewFrame } from './views';

/** What a person does who has no mouse: keys only, and what has the focus is looked at, never set. */

const MOST_PRESSES = 80;

/** Runs a command from the palette: it is opened, typed into, and confirmed once the command is what Enter takes. */
export async function runByKeys(page: Page, title: string): Promise<void> {
  await until(
    `the palette offers ${title}`,
    async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('F1');
      // A press is lost while a view that is being made takes the focus.
      if (!(await comes(page.locator('.quick-input-widget .quick-input-box input')))) return false;
      await page.keyboard.type(title);
      const first = page.locator('.quick-input-list .monaco-list-row.focused .label-name', {
        hasText: title,
      });
      return await comes(first);
    },
    (isOffered) => isOffered,
  );
  await page.keyboard.press('Enter');
}

const comes = (what: Locator): Promise<boolean> =>
  what.waitFor({ timeout: 2000 }).then(
    () => true,
    () => false,
  );

/** Types into the input that says `prompt`, and confirms. */
export async function typeByKeys(page: Page, text: string, prompt: string): Promise<void> {
  await page.locator('.quick-input-widget', { hasText: prompt }).waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Presses a key until what has the focus in the Room is called so. */
export async function keyTo(page: Page, key: 'Tab' | 'Shift+Tab', words: RegExp): Promise<void> {
  const seen: string[] = [];
  while (seen.length < MOST_PRESSES) {
    const now = await focusedWords(page);
    if (words.test(now)) return;
    seen.push(now);
    await page.keyboard.press(key);
  }
  throw new Error(`${key} has not led to ${words.source}, but to:\n${seen.join('\n')}`);
}

/** How the control in the Room that has the focus is called; empty when it is somewhere else. */
export async function focusedWords(page: Page): Promise<string> {
  return await (await webviewFrame(page, 'room-app')).evaluate(wordsOfFocus, false);
}

/** What the row says that the focus is in. */
export async function focusedRow(page: Page): Promise<string> {
  return await (await webviewFrame(page, 'room-app')).evaluate(wordsOfFocus, true);
}

/** In the page: the focus is looked for through the shadow roots, since each knows only its own part of the way. */
function wordsOfFocus(ofRow: boolean): string {
  if (!document.hasFocus()) return '';
  const path: Element[] = [];
  for (let at = document.activeElement; at !== null; at = at.shadowRoot?.activeElement ?? null) path.push(at);
  const words = (element: Element | null | undefined) =>
    (element?.getAttribute('aria-label') ?? element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
  if (ofRow) return words(path.map((element) => element.closest('.row')).findLast((row) => row !== null));
  return words(path.findLast((element) => words(element) !== ''));
}
