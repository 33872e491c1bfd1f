import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page, Worker } from 'playwright-core';
import { createPushEnv, PushService, type TestBrowserKeys } from '../support/push-service';
import { waitFor } from '../support/wait-for';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';
import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage } from './support/visual-checks';

interface ShownNotice {
  title: string;
  body: string;
  actions: string[];
}

/**
 * Chromium gets push messages from Google's servers only, which a test can't reach. So the push service of the test
 * stands in for them at both ends: `PushManager` subscribes at it, and what it got and decrypted is delivered to the
 * service worker over the DevTools protocol, as Chromium does it after it has decrypted a message. DevTools can't click
 * a notification either: the test dispatches the event that a click causes.
 */
describe('notifications of a browser', () => {
  let fixture: ContentFixture;
  let pushService: PushService;
  let browser: TestBrowserKeys;
  let page: Page;
  let devTools: CDPSession;
  let registrationId = '';
  let sessionId: string;
  let deliveredCount = 0;

  beforeAll(async () => {
    pushService = await PushService.start();
    browser = pushService.addBrowser();
    // The headless shell has no notifications.
    fixture = await ContentFixture.start(createPushEnv(), () => TestBrowser.launchWholeBrowser());
    ({ page } = fixture.ada);
    const { context } = fixture.ada;
    await context.grantPermissions(['notifications'], { origin: fixture.service.url });
    await context.addInitScript(subscribeAtTest, browser.subscription);
    devTools = await context.newCDPSession(page);
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const each of registrations) if (!each.isDeleted) registrationId = each.registrationId;
    });
    await devTools.send('ServiceWorker.enable');
    await page.goto('/console/approvals');
  });
  afterAll(async () => {
    await fixture?.stop();
    await pushService?.stop();
  });

  const send = (content: string) =>
    postFromPage(fixture.ada, `/v1/control/sessions/${sessionId}/messages`, { content, waitMs: 0 });
  const findWorker = (): Worker =>
    fixture.ada.context.serviceWorkers().findLast((each) => each.url().includes('/push/'))!;
  const listNotices = (): Promise<ShownNotice[]> =>
    findWorker().evaluate(async () => {
      const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
      const shown = (await registration.getNotifications()) as (Notification & { actions: { title: string }[] })[];
      return shown.map(({ title, body, actions }) => ({ title, body, actions: actions.map((each) => each.title) }));
    });
  /** Waits for the next message of this type, and gives it to the service worker. */
  const deliver = async (type: string): Promise<void> => {
    const pushed = await waitFor(() => {
      const found = pushService.messagesTo(browser).slice(deliveredCount);
      const index = found.findIndex(({ message }) => message.type === type);
      if (index < 0) throw new Error(`No message ${type}: ${found.map(({ message }) => message.type).join()}`);
      deliveredCount += index + 1;
      return found[index]!;
    }, 90_000);
    const { origin } = new URL(fixture.service.url);
    const data = JSON.stringify(pushed.message);
    await devTools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  };
  const click = (action: string) =>
    findWorker().evaluate(async (name) => {
      const scope = globalThis as unknown as { registration: ServiceWorkerRegistration } & EventTarget;
      const [notification] = await scope.registration.getNotifications();
      const event = new Event('notificationclick');
      await new Promise((resolve) => {
        const waitUntil = (work: Promise<unknown>) => void work.then(resolve, resolve);
        scope.dispatchEvent(Object.assign(event, { notification, action: name, waitUntil }));
      });
    }, action);
  /** Lets the agent ask, and delivers the message about it. */
  const askAndDeliver = async (prompt: string): Promise<any> => {
    const { result } = await send(prompt);
    await deliver('permission.requested');
    return result;
  };
  /** Each session notifies at most once a minute. */
  const startSession = async (): Promise<void> => {
    await page.goto('/console/approvals');
    const machineId = fixture.machine.machineService.identity.machineId;
    const path = `/v1/control/machines/${machineId}/sessions`;
    ({ sessionId } = (await postFromPage(fixture.ada, path, {})).result);
  };
  /** Clicks beside the buttons. Returns the path of the page that opens: only a person's click may open one. */
  const clickAndReadPath = async (): Promise<string> => {
    await findWorker().evaluate(() => {
      const scope = globalThis as unknown as { clients: object; openedPath: string };
      scope.openedPath = '';
      Object.assign(scope.clients, { openWindow: (path: string) => void (scope.openedPath = path) });
    });
    await click('');
    return findWorker().evaluate(() => (globalThis as unknown as { openedPath: string }).openedPath);
  };
  const waitForNotice = (notice: Partial<ShownNotice>) =>
    waitFor(async () => expect(await listNotices()).toEqual([expect.objectContaining(notice)]));
  const waitForNoNotice = () => waitFor(async () => expect(await listNotices()).toEqual([]));

  it('are turned on with a click', async () => {
    await page.goto('/console/account');
    await page.getByText('This browser can tell you').waitFor();
    await expectAccessiblePage(fixture.ada, 'notifications-off');
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByText('Notifications are on.').waitFor();
    await expectAccessiblePage(fixture.ada, 'notifications-on');
    expect(findWorker().url()).toBe(`${fixture.service.url}/console/push/worker.js`);
    await page.reload();
    await page.getByText('Notifications are on.').waitFor();
    await waitFor(() => expect(registrationId).not.toBe(''));
  });

  it('show all of a short request, and Allow lets the agent go on', async () => {
    await startSession();
    await askAndDeliver('run touch allowed.txt');
    await waitFor(async () =>
      expect(await listNotices()).toEqual([
        {
          title: 'run touch allowed.txt',
          body: 'execute: Run a command\ntouch allowed.txt',
          actions: ['Allow', 'Reject'],
        },
      ]),
    );
    expect(existsSync(join(fixture.folder, 'allowed.txt'))).toBe(false);
    await click('allow');
    await waitFor(() => expect(existsSync(join(fixture.folder, 'allowed.txt'))).toBe(true));
    expect(await listNotices()).toEqual([]);
  });

  it('have no Allow where the text is cut, and a click opens the page of the session', async () => {
    await startSession();
    await askAndDeliver('edit rejected.txt one line');
    await waitForNotice({ body: expect.stringMatching(/^edit: Edit rejected\.txt\n[^]*…$/), actions: ['Reject'] });
    await click('reject');
    await waitForNoNotice();
    await page.goto(`/console/sessions/${sessionId}`);
    await page.getByText('I have not changed rejected.txt.').waitFor();
    expect(existsSync(join(fixture.folder, 'rejected.txt'))).toBe(false);
  });

  it('come from the service alone while a page without the focus is open', async () => {
    await startSession();
    await page.goto('/console/sessions');
    await page.evaluate(() => {
      const Counted = Object.assign(() => void Object.assign(window, { hasNotified: true }), { permission: 'granted' });
      Object.assign(window, { Notification: Counted });
      Object.assign(document, { hasFocus: () => false });
    });
    await askAndDeliver('run touch alone.txt');
    await page.getByText(/needs your approval/).waitFor();
    expect(await page.evaluate('window.hasNotified')).toBeUndefined();
    await click('reject');
    await waitForNoNotice();
  });

  it('open the page for a question', async () => {
    await startSession();
    await askAndDeliver('question');
    await waitForNotice({ body: 'A question: Choose a database', actions: [] });
    expect(await clickAndReadPath()).toBe(`/console/sessions/${sessionId}`);
  });

  it('are not shown while the page of the session is in front', async () => {
    await startSession();
    await page.goto(`/console/sessions/${sessionId}`);
    await page.bringToFront();
    await askAndDeliver('run touch front.txt');
    await page.getByRole('article', { name: 'Run a command' }).waitFor();
    // Elsewhere, a notice takes a tenth of this.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await listNotices()).toEqual([]);
    await page.getByRole('button', { name: 'Reject' }).click();
  });

  it('disappear when a page of the browser, or somebody else, has decided', async () => {
    await startSession();
    await askAndDeliver('run touch here.txt');
    await waitForNotice({ actions: ['Allow', 'Reject'] });
    const card = page.getByRole('article', { name: 'Run a command' }).filter({ hasText: 'waiting for you' });
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await waitForNoNotice();

    await startSession();
    const { turn } = await askAndDeliver('run touch elsewhere.txt');
    await waitForNotice({ actions: ['Allow', 'Reject'] });
    // The turn ends, and with it the request, without anybody's decision.
    await postFromPage(fixture.ada, `/v1/control/sessions/${sessionId}/turns/${turn.id}/cancel`, {});
    await deliver('permission.decided');
    await waitForNoNotice();
  });

  it('tell that an agent has finished, by the title of its session', async () => {
    await startSession();
    await send('say done');
    await deliver('turn.completed');
    await waitForNotice({ title: 'say done', body: 'The agent has finished.', actions: [] });
    await click('');
  });

  it('have no buttons with "Open the page to decide"', async () => {
    await page.goto('/console/account');
    await page.getByRole('checkbox', { name: 'Open the page to decide' }).click();
    await page.getByRole('checkbox', { name: 'Open the page to decide', checked: true }).waitFor();
    await waitFor(() => expect(findWorker().url()).toContain('?decide=page'));
    await startSession();
    await askAndDeliver('run touch page.txt');
    await waitForNotice({ body: 'execute: Run a command\ntouch page.txt', actions: [] });
    await click('');
  });

  it('say nothing of the account while the browser is signed out', async () => {
    await startSession();
    await send('say secret');
    await fixture.ada.context.clearCookies();
    await deliver('turn.completed');
    await waitForNotice({ title: 'You are signed out', body: 'Sign in to see what an agent has to tell you.' });
  });
});

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

/** Replaces `PushManager` as far as pages use it. Runs in each page. */
function subscribeAtTest({ endpoint, p256dh, auth }: { endpoint: string; p256dh: string; auth: string }): void {
  const KEY = 'subscribed-at-test';
  const subscription = {
    toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
    unsubscribe: () => Promise.resolve(localStorage.removeItem(KEY)).then(() => true),
  };
  Object.assign(PushManager.prototype, {
    getSubscription: () => Promise.resolve(localStorage.getItem(KEY) ? subscription : null),
    subscribe: () => Promise.resolve(localStorage.setItem(KEY, 'yes')).then(() => subscription),
  });
}
