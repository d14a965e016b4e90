import type { Frame, Locator, Page } from 'playwright-core';

const VIEW_MS = 60_000;

/** Shows a container of the activity bar; one that is shown already stays. */
export async function showContainer(page: Page, title: string): Promise<void> {
  const item = page.locator(`.activitybar .action-item:has(.action-label[aria-label^="${title}"])`).first();
  const heading = page.locator('.sidebar .composite.title', { hasText: new RegExp(title, 'i') });
  await item.waitFor({ timeout: VIEW_MS });
  const until = Date.now() + VIEW_MS;
  for (;;) {
    // A window that is being restored may show the container by itself, and then a press hides it again.
    const classes = (await item.getAttribute('class')) ?? '';
    if (!classes.includes('checked')) await item.click();
    const isShown = await heading.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
    if (Date.now() > until) throw new Error(`the sidebar has not shown ${title} within ${VIEW_MS} ms`);
  }
}

/** A view of the sidebar by its title; opened if it is folded. */
export async function pane(page: Page, title: string): Promise<Locator> {
  const found = page.locator(`.sidebar .pane:has(> .pane-header[aria-label^="${title}"])`).first();
  await found.waitFor({ timeout: VIEW_MS });
  const header = found.locator('> .pane-header');
  if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
  return found;
}

export interface TreeRow {
  /** From 1. */
  readonly level: number;
  readonly label: string;
  readonly description: string;
  /** What a screen reader says. */
  readonly aria: string;
  readonly expanded: boolean | null;
}

/** The rows of a tree view that can be seen, top to bottom. */
export async function treeRows(page: Page, title: string): Promise<readonly TreeRow[]> {
  const view = await pane(page, title);
  const rows = await view.locator('.monaco-list-row').evaluateAll(readRows);
  return rows.sort((a, b) => a.top - b.top).map(({ top: _, ...row }) => row);
}

/** In the page. */
function readRows(elements: readonly Element[]): (TreeRow & { top: number })[] {
  return elements.map((element) => ({
    top: element.getBoundingClientRect().top,
    level: Number(element.getAttribute('aria-level') ?? 1),
    label: element.querySelector('.label-name')?.textContent?.trim() ?? '',
    description: element.querySelector('.label-description')?.textContent?.trim() ?? '',
    aria: element.getAttribute('aria-label') ?? '',
    expanded: element.hasAttribute('aria-expanded') ? element.getAttribute('aria-expanded') === 'true' : null,
  }));
}

/** Opens every row of a tree view that can be opened. */
export async function expandTree(page: Page, title: string): Promise<void> {
  const folded = (await pane(page, title)).locator('.monaco-list-row[aria-expanded="false"]').first();
  while (await folded.isVisible()) {
    const row = await folded.elementHandle();
    await folded.locator('.monaco-tl-twistie').click();
    await page.waitForFunction(isUnfolded, row);
  }
}

/** In the page; a row that went away is no longer folded either. */
function isUnfolded(row: Element | null): boolean {
  return row === null || !row.isConnected || row.getAttribute('aria-expanded') !== 'false';
}

export async function treeRow(page: Page, title: string, label: string | RegExp): Promise<Locator> {
  const view = await pane(page, title);
  const hasText = typeof label === 'string' ? new RegExp(`^\\s*${label}\\s*$`) : label;
  return view
    .locator('.monaco-list-row')
    .filter({ has: page.locator('.label-name', { hasText }) })
    .first();
}

/** Presses an inline action of a tree row; they are there on hover and focus. */
export async function pressTreeAction(
  page: Page,
  title: string,
  label: string | RegExp,
  action: string,
): Promise<void> {
  const row = await treeRow(page, title, label);
  await row.waitFor({ timeout: VIEW_MS });
  await row.hover();
  await row.locator(`.actions .action-label[aria-label^="${action}"]`).first().click();
}

/**
 * The document inside a webview of our extension. VS Code wraps it into two frames; the inner one is made anew when
 * the view is.
 * @param has a selector that must be in it, to tell several webviews apart
 */
export async function webviewFrame(page: Page, has = 'body *'): Promise<Frame> {
  const until = Date.now() + VIEW_MS;
  for (;;) {
    for (const frame of page.frames()) {
      const parent = frame.parentFrame();
      if (parent === null || !parent.url().includes('extensionId=teamroom.teamroom')) continue;
      if ((await countIn(frame, has)) > 0) return frame;
    }
    if (Date.now() > until) throw new Error(`no webview of Teamroom shows ${has} after ${VIEW_MS} ms`);
    await page.waitForTimeout(50);
  }
}

/** A frame may go away while it is looked at. */
const countIn = (frame: Frame, selector: string): Promise<number> =>
  frame
    .locator(selector)
    .count()
    .catch(() => 0);

/** What a webview shows, as a person reads it, components' insides included. */
export async function webviewText(page: Page, has?: string): Promise<string> {
  const frame = await webviewFrame(page, has);
  const text = await frame.locator('body').evaluate(readText);
  return text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[\n ]*/g, '\n')
    .trim();
}

/** The same once it no longer changes: rows come in pages. */
export async function settledText(page: Page, has?: string): Promise<string> {
  let last = await webviewText(page, has);
  for (;;) {
    await page.waitForTimeout(300);
    const now = await webviewText(page, has);
    if (now === last) return now;
    last = now;
  }
}

/** In the page: the text of the composed tree, what stands below one another on lines of its own. */
function readText(top: Element): string {
  const childrenOf = (element: Element): readonly Node[] => {
    const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    return slotted.length > 0 ? slotted : [...(element.shadowRoot ?? element).childNodes];
  };
  const read = (node: Node, inRow: boolean): string => {
    if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '') : '';
    if (node.matches('style, script, template, input, textarea')) return '';
    const style = getComputedStyle(node);
    if (style.display === 'none' || style.visibility === 'hidden') return '';
    const isRow = style.display.endsWith('flex') && style.flexDirection.startsWith('row');
    const text = childrenOf(node)
      .map((child) => read(child, isRow || (inRow && style.display === 'contents')))
      .join('');
    if (inRow || (style.display === 'inline' && node.nextSibling instanceof Element)) return `${text} `;
    return /^(inline|contents)/.test(style.display) ? text : `\n${text}\n`;
  };
  return read(top, false);
}

/** Drags the sidebar's edge until it is `width` pixels wide. */
export async function sidebarWidth(page: Page, width: number): Promise<void> {
  const sidebar = page.locator('.part.sidebar');
  const box = await sidebar.boundingBox();
  if (box === null) throw new Error('the sidebar is not shown');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + width, y, { steps: 5 });
  await page.mouse.up();
}

export interface Notification {
  readonly message: string;
  readonly buttons: readonly string[];
}

/** Notifications that can be seen now. */
export async function notifications(page: Page): Promise<readonly Notification[]> {
  return await page.locator('.notifications-toasts .notification-list-item').evaluateAll(readNotifications);
}

/** All notifications of the window, those that have withdrawn from sight included. */
export async function allNotifications(page: Page): Promise<readonly Notification[]> {
  const centre = page.locator('.notifications-center');
  const bell = page.locator('.statusbar-item[id="status.notifications"]');
  if (!(await centre.isVisible())) await bell.click();
  await centre.waitFor();
  const items = await centre.locator('.notification-list-item').evaluateAll(readNotifications);
  await bell.click();
  await centre.waitFor({ state: 'hidden' });
  return items;
}

/** In the page. */
function readNotifications(items: readonly Element[]): Notification[] {
  return items.map((item) => ({
    message: item.querySelector('.notification-list-item-message')?.textContent ?? '',
    buttons: [...item.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map(
      (button) => button.textContent ?? '',
    ),
  }));
}
