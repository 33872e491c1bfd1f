import { AccountDevice } from '../support/device/foreign-device';
import { encode, OAUTH, ThirdParty, type Fields } from '../support/oauth/third-party';
import { Service } from '../support/service';
import { AppListener } from './support/app-listener';
import { TestBrowser, type Person } from './support/browser';

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>`;

describe('consenting to an app in a browser', () => {
  let service: Service;
  let browser: TestBrowser;
  let listener: AppListener;
  let owner: AccountDevice;
  let app: ThirdParty;
  let ada: Person;

  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launch();
    listener = await AppListener.start();
    owner = await AccountDevice.signUp(service.http, 'octavia');
    app = await ThirdParty.register(owner, `${listener.url}/callback`, {
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
    listener.arrivals.length = 0;
    ada = await browser.person(service.url);
  });
  afterEach(() => ada.context.close());

  const username = () => `ada-${Math.random().toString(36).slice(2, 10)}`;
  const linkOf = (asking: ThirdParty, changes: Fields = {}) =>
    `${service.url}${OAUTH}/authorize?${encode(asking.authorizationRequest(changes))}`;
  const ask = (changes: Fields = {}) => ada.page.goto(linkOf(app, changes));
  const allow = () => ada.page.getByRole('button', { name: 'Allow' });
  const backInTheApp = () => ada.page.getByRole('heading', { name: 'Back in the app' }).waitFor();

  it('shows who asks, for what, and where the browser goes; allowing it arrives there with a code that is good', async () => {
    const name = username();
    await ada.signUp(name);
    await ask({ scope: 'sessions:read sessions:write profile:read' });
    const text = (await ada.page.locator('main').textContent())!;
    for (const word of [name, 'Notes', 'octavia', 'notes.example', new URL(listener.url).host]) {
      expect(text).toContain(word);
    }
    expect(await ada.page.locator('.scopes li').count()).toBe(3);
    expect(text).toContain('Send messages into your active sessions');
    await ada.shot('consent');
    await allow().click();
    await backInTheApp();
    const [arrival] = listener.arrivals;
    expect(Object.fromEntries(arrival!.searchParams)).toEqual({
      code: expect.any(String),
      state: 'a state',
      iss: service.url,
    });
    const tokens = await app.exchange(arrival!.searchParams.get('code')!);
    expect([tokens.status, tokens.body.scope]).toEqual([200, 'sessions:read sessions:write profile:read']);
    expect(ada.complaints).toEqual([]);
  });

  it('denying it tells the app so', async () => {
    await ada.signUp(username());
    await ask();
    await ada.page.getByRole('button', { name: 'Deny' }).click();
    await backInTheApp();
    expect(listener.arrivals[0]!.searchParams.get('error')).toBe('access_denied');
  });

  it('leads through signing up to this same request', async () => {
    await ask();
    expect(ada.path()).toMatch(/^\/console\/sign-in\?return=%2Fconsole%2Fconsent%2F/);
    await ada.page.getByText('to continue to Notes').waitFor();
    await ada.shot('sign-in-for-an-app');
    await ada.page.getByRole('link', { name: 'Create an account' }).click();
    await ada.page.getByText('to continue to Notes').waitFor();
    await ada.signUp(username());
    await allow().click();
    await backInTheApp();
  });

  it('leads through one click to this same request where the browser is known', async () => {
    const name = username();
    await ada.signUp(name);
    await ada.page.getByRole('button', { name: 'Sign out' }).click();
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
    expect(listener.arrivals[0]!.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('shows an app’s name as the text that it is', async () => {
    await ada.signUp(username());
    const hostile = await ThirdParty.register(owner, `${listener.url}/callback`, { name: HOSTILE });
    let dialogs = 0;
    ada.page.on('dialog', (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await ada.page.goto(linkOf(hostile));
    await ada.page.getByText(HOSTILE).first().waitFor();
    await ada.page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(dialogs).toBe(0);
    expect(await ada.page.locator('main script, main img').count()).toBe(0);
  });

  it('decides nothing with a form that was tampered with, and nothing twice', async () => {
    await ada.signUp(username());
    for (const selector of ['[name=ticket]', 'main [name=csrf]']) {
      await ask();
      await ada.page.locator(selector).evaluate((field: HTMLInputElement) => (field.value = `x${field.value}`));
      await allow().click();
      await ada.page.getByRole('heading', { name: 'That was refused' }).waitFor();
      expect(listener.arrivals).toEqual([]);
    }
    await ask();
    const [ticket, csrf] = await Promise.all(
      ['[name=ticket]', 'main [name=csrf]'].map((selector) => ada.page.locator(selector).inputValue()),
    );
    const path = ada.path();
    await allow().click();
    await backInTheApp();
    const replay = await ada.context.request.post(service.url + path, {
      form: { ticket: ticket!, csrf: csrf!, decision: 'allow' },
      maxRedirects: 0,
    });
    expect(replay.status()).toBe(403);
    expect(await replay.text()).toContain('That was refused');
  });

  it('is not for another person’s session', async () => {
    await ada.signUp(username());
    await ask();
    const path = ada.path();
    const mallory = await browser.person(service.url);
    await mallory.signUp(username());
    await mallory.page.goto(path);
    await mallory.page.getByRole('heading', { name: 'not open any more' }).waitFor();
    await mallory.shot('consent-gone');
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
    expect(ada.complaints.join()).toMatch(/frame-ancestors|X-Frame-Options/);
  });

  it('arrives where the app itself sends the browser on to another host', async () => {
    const onward = await AppListener.start();
    const hop = await AppListener.start(`${onward.url.replace('127.0.0.1', 'localhost')}/home`);
    const hopping = await ThirdParty.register(owner, `${hop.url}/callback`);
    await ada.signUp(username());
    await ada.page.goto(linkOf(hopping));
    await allow().click();
    await backInTheApp();
    expect([hop.arrivals.length, onward.arrivals.length]).toEqual([1, 1]);
    hop.stop();
    onward.stop();
  });

  it('arrives at an IPv6 loopback address', async () => {
    const native = await ThirdParty.register(owner, 'http://[::1]/callback');
    await ada.signUp(username());
    await ada.page.goto(linkOf(native, { redirect_uri: 'http://[::1]:9/callback' }));
    const arriving = ada.page.waitForRequest((request) => request.url().startsWith('http://[::1]:9/callback'));
    await allow().click();
    expect(new URL((await arriving).url()).searchParams.get('code')).toEqual(expect.any(String));
    expect(ada.complaints.join()).not.toContain('form-action');
  });
});
