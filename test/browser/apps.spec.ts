import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RedirectListener } from './support/redirect-listener';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';
import { describeWith } from '../support/dependencies';

const HOSTILE = 'Notes <script>alert(1)</script>';

describeWith('curl')('the page of apps', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let listener: RedirectListener;
  let ada: BrowserUser;
  let secret: string;
  let accessToken: string;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    listener = await RedirectListener.start();
    ada = await browser.openProfile(service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await ada.signUp('ada');
  });
  afterAll(async () => {
    expect(ada.pageErrors).toEqual([]);
    await browser?.close();
    listener?.stop();
    await service?.stop();
  });

  const text = async (label: string | RegExp) =>
    (await ada.page.getByRole('group', { name: label }).locator('code').textContent())!;
  /** What a person does with the lines that a page gives: paste them into a shell. */
  const inShell = async (lines: string) => (await promisify(execFile)('bash', ['-euc', lines])).stdout;
  const me = (token: string) => service.http.get('/external/v1/me', token);
  const act = async (verb: string) => {
    await ada.page.getByText(`${verb} …`).click();
    await ada.page.getByRole('button', { name: verb, exact: true }).click();
  };
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });

  it('teaches with a line that works while it is empty', async () => {
    await ada.page.getByRole('link', { name: 'Apps', exact: true }).click();
    await ada.page.getByRole('heading', { name: 'No apps yet' }).waitFor();
    const metadata = JSON.parse(await inShell(await text('Metadata')));
    expect(metadata.authorization_endpoint).toBe(`${service.url}/external/v1/oauth/authorize`);
  });

  it('keeps what was typed where a redirect URI is no good', async () => {
    await ada.page.getByRole('link', { name: 'Register app' }).click();
    await field('Name').fill(HOSTILE);
    await field('Redirect URIs').fill(`${listener.url}/callback\nhttp://app.example/cb`);
    await ada.page.getByRole('button', { name: 'Register' }).click();
    await ada.page.getByText('Each must be https, or http on 127.0.0.1').waitFor();
    expect(ada.pageErrors.splice(0)).toHaveLength(1);
    expect(await field('Name').inputValue()).toBe(HOSTILE);
    expect(await field('Redirect URIs').inputValue()).toContain('http://app.example/cb');
  });

  it('registers an app, and shows its secret once', async () => {
    await field('Redirect URIs').fill(`${listener.url}/callback\nhttps://app.example/cb`);
    await ada.page.getByRole('button', { name: 'Register' }).click();
    secret = await text(/^Client secret/);
    expect(secret).toMatch(/^svc_ocs_/);
    await ada.page.reload();
    await ada.page.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await ada.page.content()).not.toContain(secret);
    await ada.page.getByRole('button', { name: 'Copy' }).first().click();
    expect(await ada.page.evaluate('navigator.clipboard.readText()')).toBe(await text('Client ID'));
  });

  it('leads through a first sign-in by hand, to a token that works', async () => {
    await ada.page.getByText('Try a sign-in by hand').click();
    const [authorize, token] = [await text('Authorize'), await text('Token')];
    const page = ada.page.url();
    const [verifier, address] = (await inShell(`${authorize}\necho "$VERIFIER"`)).trim().split('\n').reverse();
    await ada.page.goto(address!);
    await ada.page.getByRole('button', { name: 'Allow' }).click();
    await ada.page.getByRole('heading', { name: 'Back in the app' }).waitFor();
    const code = listener.receivedUrls[0]!.searchParams.get('code');
    const given = `CODE=${code}\nVERIFIER=${verifier}\nCLIENT_SECRET=${secret}\n`;
    accessToken = JSON.parse(await inShell(given + token)).access_token;
    expect((await me(accessToken)).status).toBe(200);
    await ada.page.goto(page);
    await ada.page.getByText('Active users').locator('+ dd').getByText('1', { exact: true }).waitFor();
  });

  it('changes what the app is called', async () => {
    await ada.page.getByRole('link', { name: 'Edit' }).click();
    expect(await field('Redirect URIs').inputValue()).toBe(`${listener.url}/callback\nhttps://app.example/cb`);
    await field('Name').fill('Notes');
    await field('Homepage').fill('https://notes.example');
    await ada.page.getByRole('button', { name: 'Save' }).click();
    await ada.page.getByRole('heading', { name: 'Notes', exact: true }).waitFor();
    await ada.page.getByText('https://notes.example').waitFor();
  });

  it('adds a secret, and retires the old one', async () => {
    await ada.page.getByText('Add secret …').click();
    await ada.page.getByLabel('Other secrets').selectOption('expire in a day');
    await ada.page.getByRole('button', { name: 'Add secret' }).click();
    expect(await text(/^Client secret/)).not.toBe(secret);
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.getByLabel(`Retire svc_ocs_…${secret.slice(-4)}`).click();
    await ada.page.getByText('can no longer get or refresh tokens').first().waitFor();
    await ada.page.getByRole('button', { name: 'Retire', exact: true }).click();
    await ada.page.getByText('Retire …').waitFor({ state: 'detached' });
    expect(await ada.page.content()).not.toContain(`…${secret.slice(-4)}`);
  });

  it('disables and enables it, signs its users out, and deletes it, each after one question', async () => {
    await act('Disable');
    await ada.page.getByText('This app is disabled').waitFor();
    expect((await me(accessToken)).status).toBe(401);
    await ada.page.getByRole('button', { name: 'Enable' }).click();
    await ada.page.getByText('Disable …').waitFor();
    expect((await me(accessToken)).status).toBe(200);
    await ada.page.getByText('Sign out all users …').click();
    await ada.page.getByText('One person uses it.').first().waitFor();
    await ada.page.getByRole('button', { name: 'Sign out all users' }).click();
    await ada.page.getByText('Active users').locator('+ dd').getByText('0', { exact: true }).waitFor();
    expect((await me(accessToken)).status).toBe(401);
    await act('Delete');
    await ada.page.getByRole('heading', { name: 'No apps yet' }).waitFor();
  });
});
