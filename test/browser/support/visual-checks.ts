import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions } from 'playwright-core';
import type { BrowserUser } from './test-browser';

const AXE_SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** In what ways pages are looked at. */
export const VISUAL_VARIANTS: Record<string, BrowserContextOptions> = {
  wide: {},
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};

/** Nothing on the open page keeps people out (axe-core), and there is nothing to scroll sideways. */
export async function expectAccessiblePage(browserUser: BrowserUser, name: string): Promise<void> {
  await browserUser.takeScreenshot(name);
  await browserUser.page.evaluate(AXE_SOURCE);
  const { violations } = await browserUser.page.evaluate<AxeResults>('axe.run(document)');
  expect([name, violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]!.html])]).toEqual([name, []]);
  const overflow = await browserUser.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect([name, overflow]).toEqual([name, 0]);
}
