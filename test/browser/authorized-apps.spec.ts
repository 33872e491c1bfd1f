import { ForeignAccountDevice } from '../support/device/foreign-device';
import { encodeForm, OAUTH_PATH, ThirdPartyApp } from '../support/oauth/third-party-app';
import { RedirectListener } from './support/redirect-listener';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';

const HOSTILE = 'Notes <script>alert(1)</script>';

describe('the page of authorized apps', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let listener: RedirectListener;
  let app: ThirdPartyApp;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    listener = await RedirectListener.start();
    const owner = await ForeignAccountDevice.signUp(service.http, 'octavia');
    app = await ThirdPartyApp.register(owner, `${listener.url}/callback`, { name: HOSTILE });
    ada = await browser.openProfile(service.url);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    expect(ada.pageErrors).toEqual([]);
    await browser?.close();
    listener?.stop();
    await service?.stop();
  });

  const allow = async () => {
    await ada.page.goto(`${service.url}${OAUTH_PATH}/authorize?${encodeForm(app.buildAuthorizationRequest())}`);
    await ada.page.getByRole('button', { name: 'Allow' }).click();
    await ada.page.getByRole('heading', { name: 'Back in the app' }).waitFor();
  };

  it('teaches how one gets there while it is empty', async () => {
    await ada.page.getByRole('link', { name: 'Authorized apps' }).click();
    await ada.page.getByRole('heading', { name: 'No authorized apps' }).waitFor();
    const more = await ada.page.getByRole('link', { name: 'When an app asks' }).getAttribute('href');
    const guide = await ada.context.request.get(more!);
    expect(await guide.text()).toContain('When an app asks');
  });

  it('shows what was allowed in plain words, and ends it after one question', async () => {
    await allow();
    const code = listener.receivedUrls[0]!.searchParams.get('code')!;
    const { access_token: token } = (await app.exchangeCode(code)).body;
    expect((await service.http.get('/external/v1/me', token)).status).toBe(200);
    await ada.page.goto('/console/authorized-apps');
    const card = ada.page.getByRole('region', { name: HOSTILE });
    for (const words of ['octavia', 'See your sessions', 'See your username']) {
      await card.getByText(words).waitFor();
    }
    expect(await card.locator('time').count()).toBe(2);
    await card.getByText('Revoke …').click();
    await card.getByText('tokens within a second').waitFor();
    await card.getByRole('button', { name: 'Revoke' }).click();
    await ada.page.getByRole('heading', { name: 'No authorized apps' }).waitFor();
    expect((await service.http.get('/external/v1/me', token)).status).toBe(401);
  });

  it('goes by keyboard alone', async () => {
    await allow();
    await ada.page.goto('/console/authorized-apps');
    const focused = () => ada.page.evaluate('document.activeElement.textContent');
    for (const target of ['Revoke …', 'Revoke']) {
      for (let i = 0; i < 20 && (await focused()) !== target; i++) await ada.page.keyboard.press('Tab');
      expect(await focused()).toBe(target);
      await ada.page.keyboard.press('Enter');
    }
    await ada.page.getByRole('heading', { name: 'No authorized apps' }).waitFor();
  });
});
