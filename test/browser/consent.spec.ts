import { ForeignAccountDevice } from '../support/device/foreign-device';
import { encodeForm, OAUTH_PATH, ThirdPartyApp, type OAuthFormFields } from '../support/oauth/third-party-app';
import { Service } from '../support/service';
import { RedirectListener } from './support/redirect-listener';
import { TestBrowser, type BrowserUser } from './support/test-browser';

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>`;

describe('consenting to an app in a browser', () => {
  let service: Service;
  let browser: TestBrowser;
  let listener: RedirectListener;
  let owner: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let ada: BrowserUser;

  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
    listener = await RedirectListener.start();
    owner = await ForeignAccountDevice.signUp(service.http, 'octavia');
    app = await ThirdPartyApp.register(owner, `${listener.url}/callback`, {
      name: 'Notes',
      homepageUrl: 'https://notes.example/about',
    });
  });
  afterAll(async () => {
    await browser?.close();
    listener?.stop();
    await service?.stop();
  });
  beforeEach(async () => {
    listener.receivedUrls.length = 0;
    ada = await browser.openProfile(service.url);
  });
  afterEach(() => ada.context.close());

  const username = () => `ada-${Math.random().toString(36).slice(2, 10)}`;
  const linkOf = (asking: ThirdPartyApp, changes: OAuthFormFields = {}) =>
    `${service.url}${OAUTH_PATH}/authorize?${encodeForm(asking.buildAuthorizationRequest(changes))}`;
  const ask = (changes: OAuthFormFields = {}) => ada.page.goto(linkOf(app, changes));
  const allow = () => ada.page.getByRole('button', { name: 'Allow' });
  const backInTheApp = () => ada.page.getByRole('heading', { name: 'Back in the app' }).waitFor();

  it('shows the app, its scopes and its address; allowing it returns there with a valid code', async () => {
    const name = username();
    await ada.signUp(name);
    await ask({ scope: 'sessions:read sessions:write profile:read' });
    const text = (await ada.page.locator('main').textContent())!;
    for (const word of [name, 'Notes', 'octavia', new URL(listener.url).host]) {
      expect(text).toContain(word);
    }
    expect(await ada.page.locator('.scopes li').count()).toBe(3);
    expect(text).toContain('Send messages to your coding agents, which may act on your machines, and stop their turns');
    expect(text).not.toContain('cannot run commands');
    expect(text).not.toContain('notes.example');
    await ada.takeScreenshot('consent');
    await allow().click();
    await backInTheApp();
    const [arrival] = listener.receivedUrls;
    expect(Object.fromEntries(arrival!.searchParams)).toEqual({
      code: expect.any(String),
      state: 'a state',
      iss: service.url,
    });
    const tokens = await app.exchangeCode(arrival!.searchParams.get('code')!);
    expect([tokens.status, tokens.body.scope]).toEqual([200, 'sessions:read sessions:write profile:read']);
    expect(ada.pageErrors).toEqual([]);
  });

  it('denying it tells the app so', async () => {
    await ada.signUp(username());
    await ask();
    await ada.page.getByRole('button', { name: 'Deny' }).click();
    await backInTheApp();
    expect(listener.receivedUrls[0]!.searchParams.get('error')).toBe('access_denied');
  });

  it('leads through signing up to this same request', async () => {
    await ask();
    expect(ada.currentPath()).toMatch(/^\/console\/sign-in\?return=%2Fconsole%2Fconsent%2F/);
    await ada.page.getByText('to continue to Notes').waitFor();
    await ada.takeScreenshot('sign-in-for-an-app');
    await ada.page.getByRole('link', { name: 'Create an account' }).click();
    await ada.page.getByText('to continue to Notes').waitFor();
    await ada.signUp(username());
    await allow().click();
    await backInTheApp();
  });

  it('leads through one click to this same request where the browser is known', async () => {
    const name = username();
    await ada.signUp(name);
    await ada.signOut();
    await ada.page.waitForURL('**/console/sign-in');
    await ask();
    await ada.page.getByRole('button', { name: `Continue as ${name}` }).click();
    await allow().click();
    await backInTheApp();
  });

  it('goes by keyboard alone', async () => {
    await ada.signUp(username());
    await ask();
    const focused = () => ada.page.evaluate('document.activeElement.textContent');
    for (let i = 0; i < 12 && (await focused()) !== 'Allow'; i++) await ada.page.keyboard.press('Tab');
    expect(await focused()).toBe('Allow');
    await ada.page.keyboard.press('Enter');
    await backInTheApp();
  });

  it('takes a double click for one', async () => {
    await ada.signUp(username());
    await ask();
    await allow().dblclick();
    await backInTheApp();
    expect(listener.receivedUrls[0]!.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('shows an app’s name as the text that it is', async () => {
    await ada.signUp(username());
    const hostile = await ThirdPartyApp.register(owner, `${listener.url}/callback`, { name: HOSTILE });
    let dialogs = 0;
    ada.page.on('dialog', (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await ada.page.goto(linkOf(hostile));
    await ada.page.getByText(HOSTILE).first().waitFor();
    await ada.accountMenu.waitFor();
    expect(dialogs).toBe(0);
    expect(await ada.page.locator('main script, main img').count()).toBe(0);
  });

  it('decides nothing with a form that was tampered with, and nothing twice', async () => {
    await ada.signUp(username());
    for (const selector of ['[name=ticket]', 'main [name=csrf]']) {
      await ask();
      await ada.page.locator(selector).evaluate((field: HTMLInputElement) => (field.value = `x${field.value}`));
      await allow().click();
      await ada.page.getByRole('heading', { name: 'Access denied' }).waitFor();
      expect(listener.receivedUrls).toEqual([]);
    }
    await ask();
    const [ticket, csrf] = await Promise.all(
      ['[name=ticket]', 'main [name=csrf]'].map((selector) => ada.page.locator(selector).inputValue()),
    );
    const path = ada.currentPath();
    await allow().click();
    await backInTheApp();
    const replay = await ada.context.request.post(service.url + path, {
      form: { ticket: ticket!, csrf: csrf!, decision: 'allow' },
      maxRedirects: 0,
    });
    expect(replay.status()).toBe(403);
    expect(await replay.text()).toContain('Access denied');
  });

  it('is not for another person’s session', async () => {
    await ada.signUp(username());
    await ask();
    const path = ada.currentPath();
    const mallory = await browser.openProfile(service.url);
    await mallory.signUp(username());
    await mallory.page.goto(path);
    await mallory.page.getByRole('heading', { name: 'no longer open' }).waitFor();
    await mallory.takeScreenshot('consent-gone');
    await mallory.context.close();
    await allow().click();
    await backInTheApp();
  });

  it('cannot be framed', async () => {
    await ada.signUp(username());
    await ask();
    const framed = ada.page.url();
    await ada.page.goto(`${listener.url}/`);
    await ada.page.setContent(`<iframe src="${framed}"></iframe>`);
    await ada.page.waitForTimeout(500);
    const inner = ada.page.frames().find((frame) => frame !== ada.page.mainFrame());
    expect(await inner!.getByRole('button').count()).toBe(0);
    expect(ada.pageErrors.join()).toMatch(/frame-ancestors|X-Frame-Options/);
  });

  it('arrives where the app itself sends the browser on to another host', async () => {
    const onward = await RedirectListener.start();
    const hop = await RedirectListener.start(`${onward.url.replace('127.0.0.1', 'localhost')}/home`);
    const hopping = await ThirdPartyApp.register(owner, `${hop.url}/callback`);
    await ada.signUp(username());
    await ada.page.goto(linkOf(hopping));
    await allow().click();
    await backInTheApp();
    expect([hop.receivedUrls.length, onward.receivedUrls.length]).toEqual([1, 1]);
    hop.stop();
    onward.stop();
  });

  it('arrives at an IPv6 loopback address', async () => {
    const native = await ThirdPartyApp.register(owner, 'http://[::1]/callback');
    await ada.signUp(username());
    await ada.page.goto(linkOf(native, { redirect_uri: 'http://[::1]:9/callback' }));
    const arriving = ada.page.waitForRequest((request) => request.url().startsWith('http://[::1]:9/callback'));
    await allow().click();
    expect(new URL((await arriving).url()).searchParams.get('code')).toEqual(expect.any(String));
    expect(ada.pageErrors.join()).not.toContain('form-action');
  });
});
