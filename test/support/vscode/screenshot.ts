import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { cacheRoot } from './install';

/** Takes a picture of the window (or of the sidebar alone) into the cache folder and answers its path. */
export async function screenshot(
  page: Page,
  name: string,
  part: 'window' | 'sidebar' = 'window',
): Promise<string> {
  const folder = join(cacheRoot(), 'screenshots');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  if (part === 'window') await page.screenshot({ path });
  else await page.locator('.part.sidebar').screenshot({ path });
  return path;
}

export const themes = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  contrast: 'Default High Contrast',
} as const;
export type Theme = keyof typeof themes;
