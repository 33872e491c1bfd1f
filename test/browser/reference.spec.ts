import type { Route } from 'playwright-core';
import { ForeignAccountDevice } from '../support/device/foreign-device';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';
import { TestBrowser, type BrowserUser } from './support/test-browser';

describe('the API reference sends operations from the browser', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let reader: BrowserUser;
  let ada: ForeignAccountDevice;
  let token: string;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    reader = await browser.openProfile(service.url);
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['usage:read', 'sessions:read', 'webhooks:manage']));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const dialog = () => reader.page.locator('dialog#try-it');
  const status = () => dialog().getByRole('status');
  const openOperation = async (path: string) => {
    await reader.page.goto(`/docs/reference/${path}`);
    await reader.page.getByRole('button', { name: 'Try it' }).click();
  };
  const send = async () => {
    const [request] = await Promise.all([
      reader.page.waitForRequest((each) => each.resourceType() === 'fetch'),
      dialog().getByRole('button', { name: 'Send request' }).click(),
    ]);
    return request;
  };

  it('shows status, headers, time and body of the response', async () => {
    await openOperation('identity/getMe');
    await dialog().getByLabel('Token').fill(token);
    const request = await send();
    expect(request.url()).toBe(`${service.url}/external/v1/me`);
    await status()
      .getByText(/^200 OK · \d+ ms · \d+/)
      .waitFor();
    await dialog().getByText('x-request-id').waitFor();
    const body = JSON.parse((await dialog().locator('pre code').textContent())!);
    expect(body.data.token.scopes).toContain('usage:read');
    expect(await dialog().locator('pre .t-property').count()).toBeGreaterThan(5);
  });

  it('shows how long to wait, and neither binary content nor all of a long text', async () => {
    await openOperation('identity/getMe');
    const code = dialog().locator('pre code');
    const sendFor = async (answer: Parameters<Route['fulfill']>[0]) => {
      await reader.page.route('**/external/v1/me', (route) => route.fulfill(answer), { times: 1 });
      await send();
    };
    await sendFor({ status: 429, headers: { 'retry-after': '7' }, json: { code: 'rate_limited' } });
    await status().getByText(/^429/).waitFor();
    expect(await status().getAttribute('data-kind')).toBe('error');
    expect(await dialog().locator('dt:text-is("retry-after") + dd').textContent()).toBe('7');
    await sendFor({ contentType: 'application/octet-stream', body: Buffer.alloc(1_500) });
    await code.getByText('Binary content of 1.5 kB').waitFor();
    await sendFor({ contentType: 'text/plain', body: 'x'.repeat(500_001) });
    await status()
      .getByText(/ ms · 500\.0 kB$/)
      .waitFor();
    expect((await code.textContent())!.slice(-11)).toBe('\n… cut here');
  });

  it('keeps the token for the tab, in session storage only, and sends no cookie', async () => {
    await openOperation('usage/getUsage');
    expect(await dialog().getByLabel('Token').inputValue()).toBe(token);
    const request = await send();
    expect((await request.allHeaders()).authorization).toBe(`Bearer ${token}`);
    expect((await request.allHeaders()).cookie).toBeUndefined();
    await status().getByText(/^200/).waitFor();
    const stored = await reader.page.evaluate(() => JSON.stringify([localStorage, document.cookie, location.href]));
    expect(stored).not.toContain(token);
    const other = await reader.context.newPage();
    await other.goto(`${service.url}/docs/reference/usage/getUsage`);
    await other.getByRole('button', { name: 'Try it' }).click();
    expect(await other.getByLabel('Token').inputValue()).toBe('');
    await other.close();
  });

  it('sends path, query, headers and body, and shows problems', async () => {
    await openOperation('webhooks/createWebhook');
    await dialog().getByLabel('Body (JSON)').fill('{"url": "https://hooks.example/x", ');
    await dialog().getByRole('button', { name: 'Send request' }).click();
    await status().getByText('The body is not valid JSON').waitFor();
    await dialog().getByLabel('Body (JSON)').fill('{"url": "https://hooks.example/x", "events": ["webhook.test"]}');
    const created = await send();
    await status().getByText(/^201/).waitFor();
    expect((await created.allHeaders())['idempotency-key']).toMatch(/^[\da-f-]{36}$/);
    const { data } = JSON.parse((await dialog().locator('pre code').textContent())!);

    await openOperation('sessions/listSessions');
    await dialog()
      .getByLabel(/^limit/)
      .fill('2');
    expect((await send()).url()).toBe(`${service.url}/external/v1/sessions?limit=2`);
    await status().getByText(/^200/).waitFor();

    await openOperation('webhooks/getWebhook');
    await dialog().getByLabel(/^id/).fill(data.id);
    expect((await send()).url()).toBe(`${service.url}/external/v1/webhooks/${data.id}`);
    await status().getByText(/^200/).waitFor();
    await dialog().getByLabel(/^id/).fill('../me');
    expect((await send()).url()).toBe(`${service.url}/external/v1/webhooks/..%2Fme`);
    await status().getByText(/^404/).waitFor();
    expect(await dialog().locator('pre code').textContent()).toContain('"not_found"');
  });

  it('sends a new call with a new id, and one that may have run with the same again', async () => {
    const sendForId = async () => (await (await send()).allHeaders())['idempotency-key'];
    const sendForProblem = async (code: number, json: object) => {
      await reader.page.route('**/external/v1/webhooks', (route) => route.fulfill({ status: code, json }), {
        times: 1,
      });
      const id = await sendForId();
      await status()
        .getByText(new RegExp(`^${code}.* bytes`))
        .waitFor();
      return id;
    };
    await openOperation('webhooks/createWebhook');
    const fillUrl = (url: string) =>
      dialog()
        .getByLabel('Body (JSON)')
        .fill(JSON.stringify({ url, events: ['webhook.test'] }));
    await fillUrl('https://hooks.example/first');
    await reader.page.route('**/external/v1/webhooks', (route) => route.abort(), { times: 1 });
    const lost = await sendForId();
    await status().getByText('The request failed: no response.').waitFor();
    expect(await status().getAttribute('data-kind')).toBe('error');
    expect(await sendForProblem(504, { code: 'timeout', outcome: 'unknown' })).toBe(lost);
    expect(await sendForProblem(502, {})).toBe(lost);
    expect(await sendForProblem(409, { code: 'idempotency_in_progress' })).toBe(lost);
    expect(await sendForProblem(429, { code: 'rate_limited' })).toBe(lost);
    expect(await sendForProblem(503, { code: 'no_online_device', outcome: 'not_delivered' })).toBe(lost);
    expect(await sendForProblem(502, { code: 'device_error', outcome: 'answered' })).toBe(lost);
    const conflict = await sendForProblem(422, { code: 'idempotency_key_reused' });
    expect(conflict).not.toBe(lost);
    expect(await sendForId()).not.toBe(conflict);
    await status().getByText(/^201/).waitFor();
    await fillUrl('https://hooks.example/second');
    const second = await sendForId();
    expect(second).not.toBe(lost);
    await status().getByText(/^201/).waitFor();
    await dialog()
      .getByLabel(/^Idempotency-Key/)
      .fill('of-the-reader');
    expect([await sendForId(), await sendForId()]).toEqual(['of-the-reader', 'of-the-reader']);
  });

  it('says that a text could not be copied', async () => {
    const { page } = reader;
    await page.goto('/docs/reference/sessions/getSession');
    await page.evaluate(() =>
      Object.assign(navigator.clipboard, { writeText: () => Promise.reject(new Error('denied')) }),
    );
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copy failed').first().waitFor({ state: 'attached' });
  });

  it('sends the fields of a form that are filled in', async () => {
    await openOperation('oauth/issueToken');
    await dialog()
      .getByLabel(/^grant_type/)
      .fill('refresh_token');
    const request = await send();
    expect((await request.allHeaders())['content-type']).toContain('application/x-www-form-urlencoded');
    expect(request.postData()).toBe('grant_type=refresh_token');
    await status().getByText(/^40/).waitFor();
  });

  it('sends an operation at the root of the host there, with a device token', async () => {
    await openOperation('account/createExternalToken');
    expect(await dialog().getByLabel('Device token').inputValue()).toBe('');
    await dialog().getByLabel('Device token').fill(ada.token);
    const request = await send();
    expect(request.url()).toBe(`${service.url}/v1/account/external-tokens`);
    await status().getByText(/^201/).waitFor();
  });

  it('sends calls of the device API that need no device, and no others', async () => {
    const { page } = reader;
    await page.goto('/docs/device-reference/devices/checkUsername');
    await page.getByRole('button', { name: 'Try it' }).click();
    expect((await send()).url()).toBe(`${service.url}/v1/accounts/check-username`);
    await status().getByText(/^200/).waitFor();
    await page.goto('/docs/device-reference/devices/listDevices');
    expect(await page.getByRole('button', { name: 'Try it' }).count()).toBe(0);
    await page.getByRole('link', { name: 'become a device' }).click();
    await page.waitForURL('**/docs/authentication#device-tokens');
  });

  it('shows a stream as it arrives, until the reader stops it', async () => {
    await openOperation('events/streamEvents');
    await dialog().getByRole('button', { name: 'Send request' }).click();
    await dialog().locator('pre code').getByText('stream.opened').waitFor();
    await ada.createToken(['usage:read']);
    expect(await dialog().getByRole('button', { name: 'Send request' }).isDisabled()).toBe(true);
    await dialog().getByRole('button', { name: 'Stop' }).click();
    await status()
      .getByText(/· stopped$/)
      .waitFor();
    expect(await dialog().getByRole('button', { name: 'Send request' }).isEnabled()).toBe(true);
    expect(await dialog().locator('pre code').textContent()).toContain('stream.opened');
    const stopped = reader.page.waitForEvent('requestfailed');
    await send();
    await dialog().locator('pre code').getByText('stream.opened').waitFor();
    await reader.page.keyboard.press('Escape');
    expect((await stopped).url()).toBe(`${service.url}/external/v1/events`);
  });

  it('opens the details of an error, and only then', async () => {
    const { page } = reader;
    await page.goto('/docs/reference/sessions/getSession');
    const link = page.getByRole('link', { name: 'About not_found' });
    expect(await link.isVisible()).toBe(false);
    await page.locator('.error-list summary', { hasText: 'not_found' }).click();
    await link.click();
    await page.waitForURL('**/docs/errors#not_found');
  });

  it('has pages of a sane height', async () => {
    const { page } = reader;
    for (const path of ['sessions', 'machines/invokeMachine', 'sessions/listSessions', 'oauth/issueToken']) {
      await page.goto(`/docs/reference/${path}`);
      expect([path, await page.evaluate(() => document.documentElement.scrollHeight < 5_000)]).toEqual([path, true]);
    }
  });

  it('reports nothing to the browser’s console but the failures of the test', () => {
    expect(
      reader.pageErrors.filter((message) => !/status of (40[0149]|42[29]|50[234])|net::ERR_FAILED/.test(message)),
    ).toEqual([]);
  });
});
