import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createForeignKeyPair } from '../support/device/keys';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';

describe('the page of tokens', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await ada.signUp('ada');
  });
  afterAll(async () => {
    expect(ada.pageErrors).toEqual([]);
    await browser?.close();
    await service?.stop();
  });

  const me = (token: string) => service.http.get('/external/v1/me', token);
  const shownSecret = async () =>
    (await ada.page
      .getByRole('group', { name: /^Token / })
      .locator('code')
      .textContent())!;

  it('teaches the first call while it is empty', async () => {
    await ada.page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await ada.page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    await ada.page.getByText(`${service.url}/external/v1/me`).waitFor();
  });

  it('makes a token that works, shows it once, and copies it', async () => {
    await ada.page.getByRole('link', { name: 'New token' }).click();
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('Nightly <script>alert(1)</script>');
    await ada.page.locator('input[value="profile:read"]').check();
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    const secret = await shownSecret();
    expect(secret).toMatch(/^svc_pat_/);
    expect((await me(secret)).status).toBe(200);
    await ada.page.getByRole('button', { name: 'Copy' }).first().click();
    expect(await ada.page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await ada.page.reload();
    await ada.page.getByRole('heading', { name: 'Nightly <script>' }).waitFor();
    expect(await ada.page.content()).not.toContain(secret);
  });

  it('brings a token to the program on this computer that asked for it', async () => {
    const requests: string[] = [];
    const program = createServer(({ url }, response) => {
      requests.push(url!);
      response.end('You can close this window.');
    }).listen(0, '127.0.0.1');
    await once(program, 'listening');
    const { port } = program.address() as AddressInfo;
    const { x: key } = createForeignKeyPair('X25519').publicKey;
    const query = new URLSearchParams({ preset: 'xapi', name: 'xapi on box', key, port: `${port}`, state: 'a-state' });
    await ada.page.goto(`/console/tokens/new?${query}`);
    await ada.page.getByText('Go on only if you have just run xapi login').waitFor();
    expect(await ada.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('xapi on box');
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    await ada.page.getByText('You can close this window.').waitFor();
    await ada.page.goto(`/console/tokens/new?${query}`);
    await ada.page.getByRole('link', { name: 'Refuse' }).click();
    await ada.page.getByText('You can close this window.').waitFor();
    const answers = requests.filter((url) => url.startsWith('/callback'));
    expect(answers).toEqual([
      expect.stringMatching(/^\/callback\?state=a-state&token=[\w.-]+$/),
      '/callback?state=a-state&error=access_denied',
    ]);
    await ada.page.goto('/console/tokens');
    program.close();
    program.closeAllConnections();
  });

  it('keeps what was typed where something is wrong with it', async () => {
    await ada.page.goto('/console/tokens/new');
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('No scopes');
    await ada.page.getByRole('checkbox', { checked: true }).uncheck();
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    await ada.page.getByRole('alert').waitFor();
    // The 400 that the page was answered with.
    expect(ada.pageErrors.splice(0)).toHaveLength(1);
    expect(await ada.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('No scopes');
  });

  it('rotates with an overlap, then revokes, each after one question', async () => {
    await ada.page.goto('/console/tokens');
    await ada.page.getByRole('link', { name: 'Nightly' }).click();
    await ada.page.getByText('Rotate …').click();
    await ada.page.getByLabel('The old secret expires').selectOption('in an hour');
    let rotations = 0;
    ada.page.on('request', (request) => {
      if (request.url().endsWith('/rotate')) rotations++;
    });
    // Twice, as some people press every button.
    await ada.page.getByRole('button', { name: 'Rotate' }).dblclick({ delay: 60 });
    const secret = await shownSecret();
    expect((await me(secret)).status).toBe(200);
    expect(rotations).toBe(1);
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.getByText('Revoke …').click();
    await ada.page.getByText('stops working within a second').waitFor();
    await ada.page.getByRole('button', { name: 'Revoke' }).click();
    await ada.page.getByRole('cell', { name: 'revoked' }).waitFor();
    expect((await me(secret)).status).toBe(401);
  });
});
