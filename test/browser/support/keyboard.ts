import type { Locator, Page } from 'playwright-core';

const MAX_TAB_PRESSES = 150;

/** Presses Tab until it is there, as somebody without a mouse does. @throws Error when it cannot be reached */
export async function focusWithTab(page: Page, target: Locator): Promise<void> {
  for (let n = 0; n < MAX_TAB_PRESSES; n++) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Nobody gets there with Tab: ${target.toString()}`);
}
