import { createPushEnv } from '../support/push-service';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';
import { TestBrowser, type BrowserUser } from './support/test-browser';

describe('a browser that can not be notified', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await startBrowserEnvironment(createPushEnv());
    browser = await TestBrowser.launchWholeBrowser();
    ada = await browser.openProfile(service.url);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('says that the person has blocked notifications, or that it has none', async () => {
    const { page } = ada;
    // As after "Block", which nobody can click in a browser without a window.
    await page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }));
    await page.goto('/console/account');
    await page.getByText('You have blocked notifications of this site.').waitFor();
    await page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'PushManager'));
    await page.reload();
    await page.getByText('can’t show notifications of this site.').waitFor();
    expect(await page.getByRole('button', { name: 'Turn on notifications' }).count()).toBe(0);
  });

  it('asks after a click only, and says that the answer was no', async () => {
    const reader = await browser.openProfile(service.url);
    await reader.context.addCookies(await ada.context.cookies());
    await reader.page.addInitScript(() => {
      let permission = 'default';
      Object.defineProperty(Notification, 'permission', { get: () => permission });
      Notification.requestPermission = () => Promise.resolve((permission = 'denied') as NotificationPermission);
    });
    await reader.page.goto('/console/account');
    const button = reader.page.getByRole('button', { name: 'Turn on notifications' });
    await button.click();
    await reader.page.getByText('You have blocked notifications of this site.').waitFor();
    expect(await button.count()).toBe(0);
    expect(reader.pageErrors).toEqual([]);
    await reader.context.close();
  });

  it('says why a private window can’t be notified, and works otherwise', async () => {
    const reader = await browser.openProfile(service.url);
    await reader.context.addCookies(await ada.context.cookies());
    // Firefox has no service workers there, Chromium refuses to subscribe.
    await reader.page.addInitScript(() => {
      const refuse = () =>
        Promise.reject(new DOMException('Registration failed - permission denied', 'NotAllowedError'));
      Object.assign(PushManager.prototype, { getSubscription: () => Promise.resolve(null), subscribe: refuse });
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      Notification.requestPermission = () => Promise.resolve('granted');
    });
    await reader.page.goto('/console/account');
    await reader.page.getByRole('button', { name: 'Turn on notifications' }).click();
    await reader.page.getByRole('alert').getByText('as private windows do').waitFor();
    await reader.page.addInitScript(() => void Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
    await reader.page.reload();
    await reader.page.getByText('can’t show notifications of this site.').waitFor();
    await reader.page.goto('/console/approvals');
    await reader.page.getByRole('heading', { name: 'Nothing to decide' }).waitFor();
    expect(reader.pageErrors).toEqual([]);
    await reader.context.close();
  });

  it('says that the operator has not turned notifications on', async () => {
    const other = await startBrowserEnvironment();
    const eve = await browser.openProfile(other.url);
    await eve.signUp('eve');
    await eve.page.goto('/console/account');
    await eve.page.getByText('The operator of this service has not turned notifications on.').waitFor();
    await eve.context.close();
    await other.stop();
  });
});
