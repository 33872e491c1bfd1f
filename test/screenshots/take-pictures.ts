import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(__dirname, '../../screenshots');
const COLOR_SCHEMES = ['light', 'dark'] as const;

/** Saves pictures of the page as it is, light and dark, and expects that nothing lies beside the window. */
export async function takePictures(page: Page, name: string, width: number): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of COLOR_SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  }
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect([name, width, overflow]).toEqual([name, width, 0]);
}
