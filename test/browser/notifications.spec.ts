import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/wait-for';
import type { ContentFixture } from './support/content-fixture';
import { getFromPage, postFromPage } from './support/control-calls';
import { NotifiedBrowser } from './support/notified-browser';
import { refuseCalls } from './support/refuse-request';
import { expectAccessiblePage } from './support/visual-checks';

describe('notifications of a browser', () => {
  let notified: NotifiedBrowser;
  let fixture: ContentFixture;
  let page: Page;

  beforeAll(async () => {
    notified = await NotifiedBrowser.start();
    ({ fixture, page } = notified);
  });
  afterAll(() => notified?.stop());

  /** Of the service worker, not of the page. */
  const setOffline = (isOffline: boolean) =>
    notified.worker.evaluate((isNowOffline) => {
      const scope = globalThis as unknown as { fetch: unknown; savedFetch: unknown };
      scope.savedFetch ??= scope.fetch;
      scope.fetch = isNowOffline ? () => Promise.reject(new TypeError('Failed to fetch')) : scope.savedFetch;
    }, isOffline);
  const list = async () => (await getFromPage(fixture.ada, '/v1/push-subscriptions')).data;

  it('are turned on with a click', async () => {
    await page.goto('/console/account');
    await page.getByText('This browser can tell you').waitFor();
    await expectAccessiblePage(fixture.ada, 'notifications-off');
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByText('Notifications are on.').waitFor();
    await expectAccessiblePage(fixture.ada, 'notifications-on');
    expect(notified.worker.url()).toBe(`${fixture.service.url}/console/push/worker.js`);
    await page.reload();
    await page.getByText('Notifications are on.').waitFor();
    await waitFor(() => expect(notified.registrationId).not.toBe(''));
  });

  it('stay as they are if the service refuses a change of their events, which can be repeated', async () => {
    const name = 'Also when an agent has finished';
    const box = page.getByRole('checkbox', { name });
    await box.waitFor();
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/console/push/');
      const subscription = await registration!.pushManager.getSubscription();
      Object.assign(subscription!, { unsubscribe: () => Promise.reject(new Error('This ends the notifications.')) });
    });
    await refuseCalls(page, 'POST', /\/v1\/push-subscriptions$/);
    await box.click();
    await page.getByRole('alert').getByText('Refused.').waitFor();
    await page.unrouteAll();
    for (const checked of [false, true]) {
      await box.click();
      await page.getByRole('checkbox', { name, checked, disabled: false }).waitFor();
    }
  });

  it('stay on if the service refuses to turn them off, and no page notifies beside it', async () => {
    await refuseCalls(page, 'DELETE', /\/v1\/push-subscriptions\/\w+$/);
    await page.getByRole('button', { name: 'Turn off notifications' }).click();
    await page.getByRole('alert').getByText('Refused.').waitFor();
    await page.unrouteAll();
    expect(await page.evaluate(() => localStorage.getItem('notifications'))).toContain('permission.requested');
  });

  it('show all of a short request, and Allow lets the agent go on', async () => {
    await notified.startSession();
    await notified.askAndDeliver('run touch allowed.txt');
    await notified.waitForNotice({
      title: 'run touch allowed.txt',
      body: 'execute: Run a command\ntouch allowed.txt',
      actions: ['Allow', 'Reject'],
    });
    expect(existsSync(join(fixture.folder, 'allowed.txt'))).toBe(false);
    await notified.click('allow');
    await waitFor(() => expect(existsSync(join(fixture.folder, 'allowed.txt'))).toBe(true));
    expect(await notified.listNotices()).toEqual([]);
  });

  it('have no Allow where the text is cut, and a click opens the page of the session', async () => {
    await notified.startSession();
    await notified.askAndDeliver('edit rejected.txt one line');
    await notified.waitForNotice({
      body: expect.stringMatching(/^edit: Edit rejected\.txt\n[^]*…$/),
      actions: ['Reject'],
    });
    await notified.click('reject');
    await notified.waitForNoNotice();
    await page.goto(`/console/sessions/${notified.sessionId}`);
    await page.getByText('I have not changed rejected.txt.').waitFor();
    expect(existsSync(join(fixture.folder, 'rejected.txt'))).toBe(false);
  });

  it('come from the service alone while a page without the focus is open', async () => {
    await notified.startSession();
    await page.goto('/console/sessions');
    await page.evaluate(() => {
      const Counted = Object.assign(() => void Object.assign(window, { hasNotified: true }), { permission: 'granted' });
      Object.assign(window, { Notification: Counted });
      Object.assign(document, { hasFocus: () => false });
    });
    await notified.askAndDeliver('run touch alone.txt');
    await page.getByText(/needs your approval/).waitFor();
    expect(await page.evaluate('window.hasNotified')).toBeUndefined();
    await notified.click('reject');
    await notified.waitForNoNotice();
  });

  it('open the page for a question', async () => {
    await notified.startSession();
    await notified.askAndDeliver('question');
    await notified.waitForNotice({ body: 'A question: Choose a database', actions: [] });
    expect(await notified.clickAndReadPath()).toBe(`/console/sessions/${notified.sessionId}`);
  });

  it('wait for a page that reads notifications, since Chromium forgets one that is being shown meanwhile', async () => {
    await notified.startSession();
    await page.evaluate(() => {
      const held = new Promise((resolve) => Object.assign(window, { release: resolve }));
      void navigator.locks.request('notices', () => held);
    });
    await notified.askAndDeliver('run touch waiting.txt');
    const isWaiting = () =>
      page.evaluate(async () => (await navigator.locks.query()).pending!.some(({ name }) => name === 'notices'));
    await waitFor(async () => expect(await isWaiting()).toBe(true));
    const countShown = () =>
      notified.worker.evaluate(async () => {
        const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
        return (await registration.getNotifications()).length;
      });
    expect(await countShown()).toBe(0);
    await page.evaluate('release()');
    await notified.waitForNotice({ body: 'execute: Run a command\ntouch waiting.txt' });
    await notified.click('reject');
  });

  it('are not shown while the page of the session is in front', async () => {
    await notified.startSession();
    await page.goto(`/console/sessions/${notified.sessionId}`);
    await page.bringToFront();
    await notified.askAndDeliver('run touch front.txt');
    await page.getByRole('article', { name: 'Run a command' }).waitFor();
    // Elsewhere, a notice takes a tenth of this.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await notified.listNotices()).toEqual([]);
    await page.getByRole('button', { name: 'Reject' }).click();
  });

  it('disappear when a page of the browser, or somebody else, has decided', async () => {
    await notified.startSession();
    await notified.askAndDeliver('run touch here.txt');
    await notified.waitForNotice({ actions: ['Allow', 'Reject'] });
    const card = page.getByRole('article', { name: 'Run a command' }).filter({ hasText: 'waiting for you' });
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await notified.waitForNoNotice();

    await notified.startSession();
    const { turn } = await notified.askAndDeliver('run touch elsewhere.txt');
    await notified.waitForNotice({ actions: ['Allow', 'Reject'] });
    // The turn ends, and with it the request, without anybody's decision.
    await postFromPage(fixture.ada, `/v1/control/sessions/${notified.sessionId}/turns/${turn.id}/cancel`, {});
    await notified.deliver('permission.decided');
    await notified.waitForNoNotice();
  });

  it('disappear when several requests of a session are decided, of which one was not shown yet', async () => {
    await notified.startSession();
    const { turn } = await notified.askAndDeliver('ask-twice');
    await notified.waitForNotice({ actions: ['Allow', 'Reject'] });
    const path = `/v1/control/sessions/${notified.sessionId}`;
    await waitFor(async () =>
      expect((await getFromPage(fixture.ada, `${path}/permission-requests?state=pending`)).data).toHaveLength(2),
    );
    await postFromPage(fixture.ada, `${path}/turns/${turn.id}/cancel`, {});
    await notified.deliver('permission.decided');
    await notified.waitForNoNotice();
  });

  it('show nothing to decide for a message that comes after the decision', async () => {
    await notified.startSession();
    await notified.send('run touch late.txt');
    const card = page.getByRole('article', { name: 'Run a command' }).filter({ hasText: 'waiting for you' });
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.waitFor({ state: 'detached' });
    await notified.deliver('permission.requested');
    await notified.waitForNotice({ title: 'Nothing to do', body: 'It is decided already.', actions: [] });
    await notified.waitForNoNotice();
  });

  it('say that a decision did not count, or was not sent', async () => {
    await notified.startSession();
    await notified.askAndDeliver('run touch beaten.txt');
    await notified.waitForNotice({ actions: ['Allow', 'Reject'] });
    // The worker learns nothing about the decision of the page.
    await page.evaluate(() => Object.assign(ServiceWorkerRegistration.prototype, { getNotifications: () => [] }));
    const card = page.getByRole('article', { name: 'Run a command' }).filter({ hasText: 'waiting for you' });
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.waitFor({ state: 'detached' });
    await notified.click('allow');
    await notified.waitForNotice({ title: 'Your decision did not count', actions: [] });
    expect(existsSync(join(fixture.folder, 'beaten.txt'))).toBe(false);
    await notified.click('');

    await notified.startSession();
    await notified.askAndDeliver('run touch offline.txt');
    await notified.waitForNotice({ actions: ['Allow', 'Reject'] });
    await setOffline(true);
    await notified.click('allow');
    await notified.waitForNotice({ title: 'Your decision was not sent', actions: [] });
    await setOffline(false);
    await notified.click('');
    await page.getByRole('article', { name: 'Run a command' }).getByRole('button', { name: 'Reject' }).first().click();
  });

  it('say that an agent asks where the request can’t be read at the moment', async () => {
    await notified.startSession();
    await setOffline(true);
    await notified.askAndDeliver('run touch unread.txt');
    await notified.waitForNotice({
      title: 'An agent asks for permission',
      body: 'Open the page to see what it asks.',
      actions: [],
    });
    await setOffline(false);
    expect(await notified.clickAndReadPath()).toBe(`/console/sessions/${notified.sessionId}`);
    const card = page.getByRole('article', { name: 'Run a command' }).filter({ hasText: 'waiting for you' });
    await card.getByRole('button', { name: 'Reject' }).click();
  });

  it('tell that an agent has finished, by the title of its session', async () => {
    await notified.startSession();
    await notified.send('say done');
    await notified.deliver('turn.completed');
    await notified.waitForNotice({ title: 'say done', body: 'The agent has finished.', actions: [] });
    await notified.click('');
  });

  it('have no buttons with "Open the page to decide"', async () => {
    await page.goto('/console/account');
    await page.getByRole('checkbox', { name: 'Open the page to decide' }).click();
    await page.getByRole('checkbox', { name: 'Open the page to decide', checked: true }).waitFor();
    await waitFor(() => expect(notified.worker.url()).toContain('?decide=page'));
    await notified.startSession();
    await notified.askAndDeliver('run touch page.txt');
    await notified.waitForNotice({ body: 'execute: Run a command\ntouch page.txt', actions: [] });
    await notified.click('');
  });

  it('are off while the person has revoked the permission', async () => {
    await fixture.ada.context.clearPermissions();
    await page.goto('/console');
    await page.goto('/console/account');
    await page.getByRole('button', { name: 'Turn on notifications' }).or(page.getByText('You have blocked')).waitFor();
    expect(await page.getByText('Notifications are on.').count()).toBe(0);
    await fixture.ada.context.grantPermissions(['notifications'], { origin: fixture.service.url });
    await page.reload();
    await page.getByText('Notifications are on.').waitFor();
  });

  it('come back on Home if the push service has ended the subscription and it could not be renewed', async () => {
    const [before] = await list();
    await page.evaluate(() => localStorage.removeItem('subscribed-at-test'));
    await refuseCalls(page, 'POST', /\/v1\/push-subscriptions$/);
    await Promise.all([page.waitForResponse(/\/v1\/push-subscriptions$/), page.goto('/console')]);
    await waitFor(async () => expect(await page.evaluate(() => localStorage['subscribed-at-test'])).toBeUndefined());
    await page.unrouteAll();
    await page.goto('/console');
    await waitFor(async () => expect((await list())[0].id).not.toBe(before.id));
  });

  it('go on when the push service has ended the subscription', async () => {
    await notified.startSession();
    const [before] = await list();
    const ended = await notified.endSubscription();
    expect(await list()).toEqual([{ ...before, id: expect.any(String), createdAt: expect.any(Number) }]);
    await notified.askAndDeliver('run touch renewed.txt');
    await notified.waitForNotice({ body: 'execute: Run a command\ntouch renewed.txt' });
    const toEnded = notified.pushService.messagesTo(ended).map(({ message }) => message.sessionId);
    expect(toEnded).not.toContain(notified.sessionId);
    await notified.click('');
  });

  it('say nothing of the account while the browser is signed out', async () => {
    await notified.startSession();
    await notified.send('run touch secret.txt');
    await fixture.ada.context.clearCookies();
    await notified.deliver('permission.requested');
    await notified.waitForNotice({
      title: 'You are signed out',
      body: 'Sign in to see what an agent has to tell you.',
    });
  });
});
