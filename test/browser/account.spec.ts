import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/wait-for';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

describe.each(Object.keys(VISUAL_VARIANTS))('the page of the account: %s', (look) => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, VISUAL_VARIANTS[look]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('exports the account, and deletes it with the keys in the browser once the username is entered', async () => {
    const { page } = ada;
    await ada.accountMenu.click();
    await page.getByRole('link', { name: 'Settings' }).filter({ visible: true }).first().click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expectAccessiblePage(ada, `${look}-account`);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export data' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('account-export.json');
    const { data } = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(data.account.username).toBe('ada');
    expect(data.devices).toHaveLength(2);

    // At the edge of the window, below which the form opens.
    const summary = page.locator('summary', { hasText: 'Delete account …' });
    await summary.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await summary.click();
    await expectInView(page.locator('.ask[open] .question'));
    expect(await page.getByLabel('Enter ada to confirm').evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    await expectAccessiblePage(ada, `${look}-account-delete`);
    await page.getByLabel('Enter ada to confirm').fill('adam');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Enter ada to delete the account.').waitFor();
    await expectInView(page.locator('.ask[open] .question'));
    await expectAccessiblePage(ada, `${look}-account-delete-refused`);
    // The browser reports the status of the rejected form.
    expect(ada.pageErrors.splice(0).join()).toContain('400');

    await page.getByLabel('Enter ada to confirm').fill('ada');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('The account was deleted.').waitFor();
    await page.getByRole('link', { name: 'Create an account' }).waitFor();
    await expectAccessiblePage(ada, `${look}-account-deleted`);
    expect(await page.getByRole('button', { name: 'Continue as ada' }).count()).toBe(0);
    await page.goto('/console');
    expect(ada.currentPath()).toBe('/console/sign-in');
    expect(ada.pageErrors).toEqual([]);
  });
});

/** Expects that the window shows the whole element. */
async function expectInView(element: Locator): Promise<void> {
  await waitFor(async () => {
    const [top, bottom, height] = await element.evaluate((shown) => {
      const box = shown.getBoundingClientRect();
      return [box.top, box.bottom, innerHeight] as const;
    });
    expect(top).toBeGreaterThanOrEqual(0);
    expect(bottom).toBeLessThanOrEqual(height);
  });
}
