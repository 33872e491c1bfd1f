import type { CDPSession, Page, Worker } from 'playwright-core';
import { createPushEnv, PushService, type TestBrowserKeys } from '../../support/push-service';
import { waitFor } from '../../support/wait-for';
import { ContentFixture } from './content-fixture';
import { postFromPage } from './control-calls';
import { TestBrowser } from './test-browser';

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
export class NotifiedBrowser {
  registrationId = '';
  sessionId = '';
  private deliveredCount = 0;

  private constructor(
    readonly fixture: ContentFixture,
    readonly pushService: PushService,
    private subscribed: TestBrowserKeys,
    private readonly devTools: CDPSession,
  ) {
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const each of registrations) if (!each.isDeleted) this.registrationId = each.registrationId;
    });
  }

  static async start(): Promise<NotifiedBrowser> {
    const pushService = await PushService.start();
    const keys = pushService.addBrowser();
    // The headless shell has no notifications.
    const fixture = await ContentFixture.start(createPushEnv(), () => TestBrowser.launchWholeBrowser());
    const { context, page } = fixture.ada;
    await context.grantPermissions(['notifications'], { origin: fixture.service.url });
    await context.addInitScript(subscribeAtTest, keys.subscription);
    const notified = new NotifiedBrowser(fixture, pushService, keys, await context.newCDPSession(page));
    await notified.devTools.send('ServiceWorker.enable');
    await page.goto('/console/approvals');
    return notified;
  }

  async stop(): Promise<void> {
    await this.fixture.stop();
    await this.pushService.stop();
  }

  get page(): Page {
    return this.fixture.ada.page;
  }

  get worker(): Worker {
    return this.fixture.ada.context.serviceWorkers().findLast((each) => each.url().includes('/push/'))!;
  }

  /** Each session notifies at most once a minute. */
  async startSession(): Promise<void> {
    await this.page.goto('/console/approvals');
    const machineId = this.fixture.machine.machineService.identity.machineId;
    const path = `/v1/control/machines/${machineId}/sessions`;
    this.sessionId = (await postFromPage(this.fixture.ada, path, {})).result.sessionId;
  }

  send(content: string): Promise<any> {
    const path = `/v1/control/sessions/${this.sessionId}/messages`;
    return postFromPage(this.fixture.ada, path, { content, waitMs: 0 });
  }

  /**
   * Waits for the next message of this type about the session, and gives it to the service worker. Messages about
   * earlier sessions may still come, also about what this browser has decided, if its machine reports that first.
   */
  async deliver(type: string): Promise<void> {
    const pushed = await waitFor(() => {
      const found = this.pushService.messagesTo(this.subscribed).slice(this.deliveredCount);
      const index = found.findIndex(({ message }) => message.type === type && message.sessionId === this.sessionId);
      if (index < 0) throw new Error(`No message ${type}: ${found.map(({ message }) => message.type).join()}`);
      this.deliveredCount += index + 1;
      return found[index]!;
    }, 90_000);
    const { origin } = new URL(this.fixture.service.url);
    const data = JSON.stringify(pushed.message);
    const { registrationId } = this;
    await this.devTools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  }

  /** Lets the agent ask, and delivers the message about it. */
  async askAndDeliver(prompt: string): Promise<any> {
    const { result } = await this.send(prompt);
    await this.deliver('permission.requested');
    return result;
  }

  /** Ends the subscription, as a push service does: the browser tells the worker. Returns the one that has ended. */
  async endSubscription(): Promise<TestBrowserKeys> {
    const old = this.subscribed;
    this.subscribed = this.pushService.addBrowser();
    this.deliveredCount = 0;
    await this.worker.evaluate(async ({ endpoint, p256dh, auth }) => {
      const subscription = { toJSON: () => ({ endpoint, keys: { p256dh, auth } }) };
      Object.assign(PushManager.prototype, {
        getSubscription: () => Promise.resolve(null),
        subscribe: () => Promise.resolve(subscription),
      });
      await new Promise((resolve, reject) => {
        const waitUntil = (work: Promise<unknown>) => void work.then(resolve, reject);
        dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { waitUntil }));
      });
    }, this.subscribed.subscription);
    return old;
  }

  /** Clicks a button of the notice, or beside the buttons. */
  async click(action: string): Promise<void> {
    await this.worker.evaluate(async (name) => {
      const scope = globalThis as unknown as { registration: ServiceWorkerRegistration } & EventTarget;
      const [notification] = await navigator.locks.request('notices', () => scope.registration.getNotifications());
      const event = new Event('notificationclick');
      await new Promise((resolve) => {
        const waitUntil = (work: Promise<unknown>) => void work.then(resolve, resolve);
        scope.dispatchEvent(Object.assign(event, { notification, action: name, waitUntil }));
      });
    }, action);
  }

  /** Clicks beside the buttons. Returns the path of the page that opens: only a person's click may open one. */
  async clickAndReadPath(): Promise<string> {
    await this.worker.evaluate(() => {
      const scope = globalThis as unknown as { clients: object; openedPath: string };
      scope.openedPath = '';
      Object.assign(scope.clients, { openWindow: (path: string) => void (scope.openedPath = path) });
    });
    await this.click('');
    return this.worker.evaluate(() => (globalThis as unknown as { openedPath: string }).openedPath);
  }

  listNotices(): Promise<ShownNotice[]> {
    return this.worker.evaluate(async () => {
      const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
      // Reading while one is being shown loses it.
      const shown = await navigator.locks.request('notices', () => registration.getNotifications());
      type ShownNotification = Notification & { actions: { title: string }[] };
      return (shown as ShownNotification[]).map(({ title, body, actions }) => ({
        title,
        body,
        actions: actions.map((each) => each.title),
      }));
    });
  }

  async waitForNotice(notice: Partial<ShownNotice>): Promise<void> {
    await waitFor(async () => expect(await this.listNotices()).toEqual([expect.objectContaining(notice)]));
  }

  async waitForNoNotice(): Promise<void> {
    await waitFor(async () => expect(await this.listNotices()).toEqual([]));
  }
}

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
