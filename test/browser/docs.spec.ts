import { Service } from '../support/service';
import { focusWithTab } from './support/keyboard';
import { TestBrowser, type BrowserUser } from './support/test-browser';

describe('the documentation in a browser', () => {
  let service: Service;
  let browser: TestBrowser;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const PHONE = { viewport: { width: 390, height: 844 } };
  const OPERATION = '/docs/reference/sessions/listSessions';
  const openReader = async (path: string, options = {}): Promise<BrowserUser> => {
    const reader = await browser.openProfile(service.url, options);
    await reader.page.goto(path);
    return reader;
  };

  describe.each([
    ['at a wide window', {}],
    ['on a phone', PHONE],
  ])('the search %s', (_, options) => {
    it('opens with /, follows the arrow keys, and goes to the result with Enter', async () => {
      const { page, pageErrors } = await openReader('/docs/relay', options);
      await page.keyboard.press('/');
      const input = page.getByRole('combobox');
      await page.keyboard.type('idempotency_key_reused');
      const first = page.getByRole('option').first();
      expect(await first.getAttribute('href')).toBe('/docs/errors#idempotency_key_reused');
      expect(await first.getAttribute('aria-selected')).toBe('true');
      await input.fill('limits');
      await page.getByRole('option').nth(2).waitFor();
      await page.keyboard.press('ArrowUp');
      expect(await page.getByRole('option').last().getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      const second = page.getByRole('option').nth(1);
      expect(await second.getAttribute('aria-selected')).toBe('true');
      expect(await input.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'));
      const target = (await second.getAttribute('href'))!;
      await page.keyboard.press('Enter');
      await page.waitForURL(`${service.url}${target}`);
      expect(pageErrors).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    });

    it('opens with its button, finds operations, and closes with Escape', async () => {
      const { page } = await openReader('/docs/relay', options);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.keyboard.type('listSessions');
      expect(await page.getByRole('option').first().getAttribute('href')).toBe(OPERATION);
      await page.getByRole('combobox').fill('zzzzzz');
      await page.getByText('No results.').waitFor();
      await page.getByRole('combobox').fill('(rfc');
      expect(await page.getByRole('option').first().locator('mark').first().textContent()).toBe('(RFC');
      await page.keyboard.press('Escape');
      expect(await page.getByRole('combobox').isVisible()).toBe(false);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Search');
    });
  });

  it.each(['Control+k', 'Meta+k'])('opens the search with %s, and closes it by a click beside it', async (keys) => {
    const { page } = await openReader('/docs/relay');
    const input = page.getByRole('combobox');
    await page.keyboard.press(keys);
    await input.waitFor();
    await page.mouse.click(5, 5);
    await input.waitFor({ state: 'hidden' });
  });

  it('leaves the keys of an input method to it', async () => {
    const { page } = await openReader('/docs/relay');
    await page.keyboard.press('/');
    const input = page.getByRole('combobox');
    await input.fill('limits');
    const first = page.getByRole('option').first();
    await first.waitFor();
    for (const key of ['ArrowDown', 'Enter', 'Escape'])
      await input.dispatchEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true });
    expect(await first.getAttribute('aria-selected')).toBe('true');
    expect(await input.isVisible()).toBe(true);
    expect(page.url()).toBe(`${service.url}/docs/relay`);
  });

  it('counts a single result as one', async () => {
    const { page } = await openReader('/docs/relay');
    const json = [{ u: '/docs/relay', h: 'Relayed calls', p: 'Guides', t: '' }];
    await page.route('**/docs/search.json', (route) => route.fulfill({ json }));
    await page.keyboard.press('/');
    await page.keyboard.type('relayed');
    await page.getByRole('status').getByText('1 result', { exact: true }).waitFor();
  });

  it('says that the search could not be loaded, and loads it when it is opened again', async () => {
    const { page } = await openReader('/docs/relay');
    await page.route('**/docs/search.json', (route) => route.abort(), { times: 1 });
    await page.keyboard.press('/');
    const problem = page.getByText('The search could not be loaded. Close it and try again.');
    await problem.waitFor();
    await page.keyboard.type('listSessions');
    expect(await page.getByRole('combobox').inputValue()).toBe('listSessions');
    expect(await problem.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('option').first().waitFor();
    expect(await problem.isVisible()).toBe(false);
  });

  it('types a slash into a field instead of opening the search', async () => {
    const { page } = await openReader(OPERATION);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByLabel('Token').focus();
    await page.keyboard.press('/');
    expect(await page.getByLabel('Token').inputValue()).toBe('/');
    expect(await page.getByRole('combobox', { name: 'Search the documentation' }).isVisible()).toBe(false);
  });

  it('remembers the language of samples, on all pages', async () => {
    const { page } = await openReader(OPERATION);
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('import requests').waitFor();
    await page.goto('/docs/reference/machines/listMachines');
    expect(await page.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('figure[data-language="sh"]').isVisible()).toBe(false);
  });

  it('shows in forced colors which language and which result are selected', async () => {
    const { page } = await openReader(OPERATION, { forcedColors: 'active' });
    const python = page.getByRole('tab', { name: 'Python' });
    const unselectedTab = await python.screenshot();
    await python.click();
    await page.mouse.move(0, 0);
    expect((await python.screenshot()).equals(unselectedTab)).toBe(false);
    await page.keyboard.press('/');
    await page.keyboard.type('limits');
    await page.getByRole('option').nth(2).waitFor();
    const first = page.getByRole('option').first();
    const selectedResult = await first.screenshot();
    await page.keyboard.press('ArrowDown');
    expect((await first.screenshot()).equals(selectedResult)).toBe(false);
  });

  it('changes the language with the arrow keys', async () => {
    const { page } = await openReader(OPERATION);
    await focusWithTab(page, page.getByRole('tab', { name: 'curl' }));
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { name: 'JavaScript' }).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('End');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Go');
    expect(await page.getByRole('tabpanel').getAttribute('data-language')).toBe('go');
    await page.keyboard.press('Home');
    expect(await page.getByRole('tabpanel').getAttribute('data-language')).toBe('sh');
    await page.keyboard.press('ArrowLeft');
    expect(await page.getByRole('tabpanel').getAttribute('data-language')).toBe('go');
  });

  it('works where the browser denies storage', async () => {
    const reader = await browser.openProfile(service.url);
    await reader.page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      }
    });
    await reader.page.goto(OPERATION);
    await reader.page.getByRole('tab', { name: 'Go' }).click();
    await reader.page.getByText('package main').waitFor();
    await reader.page.getByRole('button', { name: 'Try it' }).click();
    await reader.page.getByLabel('Token').fill('svc_pat_x');
    await reader.page.getByRole('button', { name: 'Send request' }).click();
    await reader.page.getByRole('status').getByText(/^401/).waitFor();
  });

  it('copies exactly the code that is visible', async () => {
    const reader = await openReader(OPERATION);
    await reader.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await reader.page.getByRole('tab', { name: 'JavaScript' }).click();
    const panel = reader.page.getByRole('tabpanel');
    await panel.getByRole('button', { name: 'Copy' }).click();
    await panel.getByText('Copied').waitFor();
    const copied = await reader.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await panel.locator('pre').textContent());
    expect(copied).toMatch(/^const response = await fetch\(/);
    // The button offers to copy again.
    await panel.getByText('Copied').waitFor({ state: 'detached' });
    expect(await panel.getByRole('button').textContent()).toBe('Copy');
  });

  it('sends an operation with the keyboard alone', async () => {
    const { page } = await openReader(OPERATION);
    await focusWithTab(page, page.getByRole('button', { name: 'Try it' }));
    await page.keyboard.press('Enter');
    await focusWithTab(page, page.getByLabel('Token'));
    await page.keyboard.type('svc_pat_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(/^401/).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Try it');
  });

  it('lets the keyboard scroll code that is wider than the page, and names it', async () => {
    const { page } = await openReader(OPERATION, PHONE);
    const code = page.locator('figure.code pre.overflows').first();
    await code.waitFor();
    expect(await code.getAttribute('tabindex')).toBe('0');
    expect(await code.getAttribute('role')).toBe('region');
    expect(await code.getAttribute('aria-label')).toMatch(/^Code: .+ \d+$/);
  });

  it('scrolls the navigation to the entry of the page', async () => {
    const { page } = await openReader('/docs/protocol/webhooks');
    const isInView = await page.locator('.sidebar a[aria-current]').evaluate((entry) => {
      const [inner, outer] = [entry, entry.closest('.sidebar')!].map((element) => element.getBoundingClientRect());
      return inner!.top >= outer!.top && inner!.bottom <= Math.min(outer!.bottom, innerHeight);
    });
    expect(isInView).toBe(true);
    expect(await page.locator('.sidebar').evaluate((sidebar) => sidebar.scrollTop)).toBeGreaterThan(0);
  });

  it('is complete without scripts', async () => {
    const { page } = await openReader(OPERATION, { javaScriptEnabled: false });
    for (const language of ['sh', 'js', 'python', 'go']) {
      expect(await page.locator(`figure[data-language="${language}"]`).isVisible()).toBe(true);
    }
    for (const name of ['Copy', 'Search', 'Try it']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
  });

  it('marks the reached heading in the contents of the page', async () => {
    const { page } = await openReader('/docs/errors');
    const contents = page.locator('.contents');
    await contents.getByRole('link', { name: 'rate_limited' }).click();
    await page.waitForURL('**/docs/errors#rate_limited');
    await contents.locator('a.current', { hasText: 'rate_limited' }).waitFor();
    const top = await page.locator('#rate_limited').evaluate((heading) => heading.getBoundingClientRect().top);
    // The heading is below the sticky header.
    expect(top).toBeGreaterThan(57);
  });

  it('has a menu on a phone, which Escape and a click outside close', async () => {
    const { page } = await openReader('/docs/relay', PHONE);
    const link = page.getByRole('link', { name: 'Queued messages', exact: true }).first();
    expect(await link.isVisible()).toBe(false);
    const menu = page.locator('summary', { hasText: 'Menu' });
    await menu.click();
    expect(await link.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await link.isVisible()).toBe(false);
    expect(await menu.evaluate((summary) => summary === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await link.isVisible()).toBe(true);
    const { x, y } = (await menu.boundingBox())!;
    await page.mouse.click(x - 4, y + 4);
    expect(await link.isVisible()).toBe(false);
  });
});
