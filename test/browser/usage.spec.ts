import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeWith } from '../support/dependencies';
import { waitFor } from '../support/wait-for';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';

describeWith('curl')('the page of usage', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let ada: BrowserUser;
  /** Of the token that the test creates. */
  let secret: string;
  beforeAll(async () => {
    service = await startBrowserEnvironment({ RATE_LIMIT_METADATA: '600' });
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    expect(ada.pageErrors).toEqual([]);
    await browser?.close();
    await service?.stop();
  });

  const inShell = async (lines: string) => (await promisify(execFile)('bash', ['-euc', lines])).stdout;
  const usage = () => ada.page.getByRole('link', { name: 'Usage', exact: true }).click();

  it('leads from an empty page to a first call, which it then shows', async () => {
    await usage();
    await ada.page.getByRole('heading', { name: 'No calls in the last 30 days' }).waitFor();
    const shown = ada.page.getByRole('group', { name: 'First call' }).locator('code');
    const call = (await shown.textContent())!;
    await ada.page.locator('main').getByRole('link', { name: 'Tokens' }).click();
    await ada.page.getByRole('link', { name: 'New token' }).click();
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('curl');
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    const token = await ada.page
      .getByRole('group', { name: /^Token / })
      .locator('code')
      .textContent();
    expect(JSON.parse(await inShell(`TOKEN=${token}\n${call} -s`)).data.account.username).toBe('ada');
    const chart = ada.page.getByRole('img', { name: 'Calls per hour, the last 48 hours' });
    // Another instance may have served the call: it writes the count within a second.
    await waitFor(async () => {
      await usage();
      expect(await chart.count()).toBe(1);
    });
    expect(await chart.locator('desc').textContent()).toContain('1 call (1 metadata, 0 relay), 0 errors in total.');
    expect(await chart.locator('rect.metadata').count()).toBe(1);
    await ada.page.getByText('Show these days as a table').click();
    const days = await ada.page.getByRole('table', { name: 'Calls per day' }).getByRole('row').all();
    const counts = await Promise.all(days.map(async (day) => (await day.getByRole('cell').allTextContents()).slice(1)));
    // The day of the call need not be the first one, if it was made just before midnight.
    expect(counts.filter((cells) => cells.some((count) => count !== '0'))).toEqual([['1', '0', '0', '0']]);
    const limits = ada.page.getByRole('table', { name: 'Rate buckets' });
    await limits.getByText('599', { exact: true }).waitFor();
    secret = token!;
  });

  it('shows errors in the chart, and which token and operation the calls are of', async () => {
    expect((await service.http.get('/external/v1/sessions', secret)).status).toBe(200);
    for (let n = 0; n < 3; n++) {
      expect((await service.http.get('/external/v1/artifacts/art_x', secret)).status).toBe(403);
    }
    const callers = ada.page.getByRole('table', { name: 'Calls by token and app' });
    const readRows = async (table: typeof callers) =>
      Promise.all((await table.getByRole('row').all()).slice(1).map((row) => row.getByRole('cell').allTextContents()));
    await waitFor(async () => {
      await usage();
      expect(await readRows(callers)).toEqual([['curltoken', '', '5', '3', '0']]);
    });
    const operations = ada.page.getByRole('table', { name: 'Calls by operation' });
    expect(await readRows(operations)).toEqual([
      ['Read an artifactgetArtifact', '', '3', '3', '0'],
      ['Read its own tokengetMe', '', '1', '0', '0'],
      ['Listed sessionslistSessions', '', '1', '0', '0'],
    ]);
    expect(await ada.page.locator('.chart').first().locator('rect.errors').count()).toBe(1);
    expect(await ada.page.locator('.chart g title').last().textContent()).toMatch(/ 5 calls \(.*\), 3 errors$/);
    await callers.getByRole('link', { name: 'curl' }).click();
    await ada.page.getByRole('heading', { name: 'curl' }).waitFor();
    await usage();
  });

  it('says on hover which hour a bar is, and opens the hours as a table by keyboard', async () => {
    const bar = ada.page
      .locator('svg')
      .first()
      .locator('g', { has: ada.page.locator('.metadata') });
    expect(await bar.locator('title').textContent()).toMatch(/^\d+ \w+,? \d\d:00 UTC: 5 calls /);
    const summary = ada.page.getByText('These hours as a table');
    await summary.focus();
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('table', { name: 'Calls per hour' }).waitFor();
  });

  it('shows the calls of a bar on arrow keys and on touch', async () => {
    await ada.page.goto('/console/usage');
    const chart = ada.page.locator('.chart').first();
    await chart.locator('svg').focus();
    await ada.page.keyboard.press('ArrowLeft');
    const last = (await chart.locator('g title').last().textContent())!;
    expect(await chart.locator('output').textContent()).toBe(last);
    await chart.locator('g').first().dispatchEvent('pointerdown');
    expect(await chart.locator('output').textContent()).toBe(await chart.locator('g title').first().textContent());
  });

  it('is printed with its charts', async () => {
    await ada.page.emulateMedia({ media: 'print' });
    expect(await ada.page.locator('.chart').first().isVisible()).toBe(true);
    await ada.page.emulateMedia({ media: 'screen' });
  });

  it('draws the buckets and errors in three colours, by light and in the dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await ada.page.emulateMedia({ colorScheme });
      const colors = await ada.page
        .locator('.chart-key')
        .first()
        .evaluate((key) => [...key.children].map((item) => getComputedStyle(item, '::before').backgroundColor));
      expect(new Set(colors).size).toBe(3);
      expect(colors).not.toContain('rgba(0, 0, 0, 0)');
    }
  });
});
