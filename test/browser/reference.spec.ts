import { ForeignAccountDevice } from '../support/device/foreign-device';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';

describe('the API reference', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let reader: BrowserUser;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    reader = await browser.openProfile(service.url);
    ada = await ForeignAccountDevice.signUp(service.http);
    await reader.page.goto('/docs/reference');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const operation = (id: string) => reader.page.locator(`[id$="-${id}"].opblock`);
  const authorize = async (scheme: string, token: string) => {
    const { page } = reader;
    await page.locator('.btn.authorize').first().click();
    const dialog = page.locator('.auth-container', { hasText: `${scheme} (http` });
    await dialog.locator('input').fill(token);
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).last().click();
  };
  /** What “Execute” sends with the example as its body, and what comes back. */
  const execute = async (id: string) => {
    const block = operation(id);
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
    const [response] = await Promise.all([
      reader.page.waitForResponse((each) => each.request().resourceType() === 'fetch'),
      block.getByRole('button', { name: 'Execute' }).click(),
    ]);
    await block.locator('.live-responses-table').waitFor();
    return { url: response.url(), status: response.status() };
  };

  it('tries out an operation of the External API at its own address', async () => {
    const { token } = await ada.createToken(['usage:read']);
    await authorize('bearer', token);
    expect(await execute('getMe')).toEqual({ url: `${service.url}/external/v1/me`, status: 200 });
  });

  it('tries out an operation at the root of the host there, with a device token', async () => {
    await authorize('device', ada.token);
    const answer = await execute('createExternalToken');
    expect(answer).toEqual({ url: `${service.url}/v1/account/external-tokens`, status: 201 });
  });
});
