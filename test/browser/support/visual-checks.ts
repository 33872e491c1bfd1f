import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions } from 'playwright-core';
import { IS_FULL_RUN } from '../../support/scale';
import type { BrowserUser } from './test-browser';

const AXE_SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * In what ways pages are opened. Each page is looked at in light and in dark colors. `wide-screen.spec.ts` looks at
 * wide pages, too.
 */
export const VISUAL_VARIANTS: Record<string, BrowserContextOptions> = {
  ...(IS_FULL_RUN && { wide: {} }),
  phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};

/** Rules of axe-core that depend on colors, the only difference between light and dark. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Nothing on the open page keeps people out (axe-core), in light and in dark, and nothing scrolls sideways. */
export async function expectAccessiblePage(browserUser: BrowserUser, name: string): Promise<void> {
  const { page } = browserUser;
  await waitForFrames(browserUser);
  await browserUser.takeScreenshot(name);
  await page.evaluate(AXE_SOURCE);
  expect([name, await findViolations(browserUser)]).toEqual([name, []]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect([name, overflow]).toEqual([name, 0]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await browserUser.takeScreenshot(`${name}-dark`);
  expect([name, 'dark', await findViolations(browserUser, COLOR_RULES)]).toEqual([name, 'dark', []]);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Pages measure what they show once it is drawn, such as code that scrolls, and then change it for the keyboard. */
function waitForFrames({ page }: BrowserUser): Promise<void> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** @param rules ids of rules, by default all */
async function findViolations({ page }: BrowserUser, rules?: readonly string[]): Promise<unknown[]> {
  // Descriptions of what passes take a large part of the time.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]!.html]);
}
