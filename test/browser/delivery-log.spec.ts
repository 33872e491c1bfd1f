import type { Locator, Page, Request } from 'playwright-core';
import { queryDatabase } from '../support/database';
import { Service } from '../support/service';
import { waitFor } from '../support/wait-for';
import { acceptRequest, WebhookReceiver, type ReceivedRequest } from '../support/webhooks/webhook-receiver';
import { insertWebhookDeliveries } from '../support/webhooks/webhook-rows';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { TestBrowser, type BrowserUser } from './support/test-browser';

const POLLS_MS = 3_000;
/** Without daylight saving time, in which one local time can name two hours. */
const ZONE = 'Asia/Kolkata';

describe('the delivery log while it is open', () => {
  let service: Service;
  let browser: TestBrowser;
  let webhookReceiver: WebhookReceiver;
  let ada: BrowserUser;
  let other: Page;
  let webhook: string;
  let id: string;
  beforeAll(async () => {
    service = await Service.start({ ...LOOPBACK_WEBHOOKS_ENV, WEBHOOK_RETRY_SCHEDULE: '0' });
    webhookReceiver = await WebhookReceiver.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, { timezoneId: ZONE });
    // The page's time flows as usual, and tests can let more of it pass.
    await ada.page.clock.install();
    await ada.signUp('ada');
    await ada.page.goto('/console/webhooks/new');
    await ada.page.getByLabel('URL').fill(webhookReceiver.url);
    await ada.page.locator('input[value="session.created"]').check();
    await ada.page.getByRole('button', { name: 'Create webhook' }).click();
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.waitForURL(/whk_/);
    webhook = ada.currentPath();
    id = webhook.split('/').at(-1)!;
    other = await ada.context.newPage();
    await ada.page.bringToFront();
  });
  beforeEach(async () => {
    webhookReceiver.handler = acceptRequest;
    await queryDatabase(service, 'DELETE FROM webhook_deliveries');
    await ada.page.goto(`${webhook}/deliveries`);
  });
  afterAll(async () => {
    expect(ada.pageErrors).toEqual([]);
    await browser?.close();
    await webhookReceiver?.stop();
    await service?.stop();
  });

  const rows = () => ada.page.locator('tbody tr');
  const announced = () => ada.page.locator('#following [role="status"]');
  /** Lets time pass in the page. The page's requests are known afterwards, because a later one is answered. */
  const letPass = async (ms: number) => {
    await ada.page.clock.runFor(ms);
    await ada.page.evaluate(async () => (await fetch('/health/live')).text());
  };
  /** Waits for what the next polls of the page show. */
  const waitForPolled = (locator: Locator) =>
    waitFor(async () => {
      await letPass(POLLS_MS);
      expect(await locator.isVisible()).toBe(true);
    }, 30_000);
  const isPoll = (request: Request) => request.url().endsWith('/deliveries') && request.resourceType() === 'fetch';
  /** Something happens, elsewhere. */
  const sendTest = async () => {
    await other.goto(webhook);
    await other.getByRole('button', { name: 'Send test event' }).click();
    await other.waitForURL(/deliveries$/);
  };
  const insert = (count: number, state = 'delivered') =>
    insertWebhookDeliveries({ query: (sql, parameters) => queryDatabase(service, sql, parameters) }, id, count, {
      state,
    });

  it('shows what comes, without a reload, and says so', async () => {
    await ada.page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    // The row may come as pending, and change after that.
    const announcement = announced()
      .filter({ hasText: /^New deliveries: 1$/ })
      .waitFor({ state: 'attached' });
    await Promise.all([announcement, sendTest()]);
    await ada.page.getByRole('cell', { name: 'delivered' }).waitFor();
    expect(await rows().locator('time').first().textContent()).not.toContain('UTC');
  });

  it('leaves the rows alone that did not change, and the focus where it is', async () => {
    await insert(2);
    await ada.page.reload();
    const link = rows().nth(1).getByRole('link');
    await link.focus();
    const row = await rows().nth(1).elementHandle();
    await sendTest();
    await waitForPolled(ada.page.getByRole('link', { name: 'webhook.test' }));
    expect(await rows().count()).toBe(3);
    expect(
      await rows()
        .nth(2)
        .evaluate((now, before) => now === before, row),
    ).toBe(true);
    expect(
      await rows()
        .nth(2)
        .getByRole('link')
        .evaluate((a) => a === document.activeElement),
    ).toBe(true);
  });

  it('keeps the focus in a row that did change', async () => {
    await insert(1, 'cancelled');
    await ada.page.reload();
    await rows().getByRole('link').focus();
    await queryDatabase(service, "UPDATE webhook_deliveries SET state = 'delivered'");
    await waitForPolled(ada.page.getByRole('cell', { name: 'delivered' }));
    expect(
      await rows()
        .getByRole('link')
        .evaluate((a) => a === document.activeElement),
    ).toBe(true);
    expect(await announced().textContent()).toBe('Updated');
  });

  it('takes no row away from under the focus', async () => {
    await insert(50);
    await ada.page.reload();
    const last = rows().nth(49).getByRole('link');
    await last.focus();
    const path = await last.getAttribute('href');
    await sendTest();
    await waitForPolled(ada.page.getByRole('link', { name: 'webhook.test' }));
    await waitForPolled(ada.page.getByRole('link', { name: 'Older' }));
    expect(await rows().count()).toBe(51);
    expect(await ada.page.evaluate('document.activeElement.getAttribute("href")')).toBe(path);
  });

  it('changes nothing while a question is open in it, and catches up afterwards', async () => {
    await insert(1);
    await ada.page.reload();
    await rows().getByText('Replay …').click();
    await rows().getByRole('button', { name: 'Replay' }).waitFor();
    await sendTest();
    // The page sends the second request after it has used the first answer.
    for (let n = 0; n < 2; n++) {
      const poll = ada.page.waitForEvent('requestfinished', isPoll);
      await letPass(POLLS_MS);
      await poll;
    }
    expect(await rows().count()).toBe(1);
    expect(await rows().getByRole('button', { name: 'Replay' }).isVisible()).toBe(true);
    await ada.page.keyboard.press('Escape');
    await waitForPolled(ada.page.getByRole('link', { name: 'webhook.test' }));
  });

  it('sends no requests while the page is hidden or updates are paused', async () => {
    let asked = 0;
    ada.page.on('request', (request) => (asked += isPoll(request) ? 1 : 0));
    const setHidden = (hidden: boolean) =>
      ada.page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await setHidden(true);
    await letPass(POLLS_MS + 500);
    const before = asked;
    await letPass(2 * POLLS_MS);
    expect(asked).toBe(before);
    await setHidden(false);
    await ada.page.waitForRequest(isPoll);
    await ada.page.getByRole('button', { name: 'Pause live updates' }).click();
    await letPass(500);
    const stopped = asked;
    await letPass(2 * POLLS_MS);
    expect(asked).toBe(stopped);
    await ada.page.getByRole('button', { name: 'Resume live updates' }).click();
    await sendTest();
    await waitForPolled(ada.page.getByRole('cell', { name: 'delivered' }));
    ada.page.removeAllListeners('request');
  });

  it('says that the connection is lost, and catches up when the computer is online again', async () => {
    await ada.page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    await ada.context.setOffline(true);
    await ada.page.clock.runFor(POLLS_MS);
    await announced().filter({ hasText: 'Connection lost. Trying again …' }).waitFor();
    await insert(1);
    await ada.context.setOffline(false);
    await ada.page.getByRole('cell', { name: 'delivered' }).waitFor();
    expect(await announced().textContent()).toBe('New deliveries: 1');
    ada.pageErrors.length = 0;
  });

  it('follows one delivery to its end', async () => {
    let answer: (() => void) | undefined;
    webhookReceiver.handler = (_: ReceivedRequest, response) => (answer = () => void response.writeHead(204).end());
    await sendTest();
    await ada.page.getByRole('link', { name: 'webhook.test' }).click();
    await ada.page.getByText('No attempts yet.').waitFor();
    answer!();
    await ada.page.locator('.attempts').getByText('204', { exact: true }).waitFor();
    await ada.page.getByText('Up to date').waitFor();
    expect(await ada.page.getByText('No attempts yet.').count()).toBe(0);
  });

  it('is filtered in the person’s own time, which the address says in UTC', async () => {
    await insert(3, 'failed');
    const local = (at: number) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' })
        .format(at)
        .replace(' ', 'T');
    const since = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
    const inForce = new Date(since).toISOString().slice(0, 16);
    await ada.page.getByText('In your local time').first().waitFor();
    await ada.page.getByLabel('Since', { exact: true }).fill(local(since));
    await ada.page.getByLabel('State').selectOption('failed');
    await ada.page.getByRole('button', { name: 'Filter' }).click();
    await ada.page.waitForURL(/state=failed/);
    expect(new URL(ada.page.url()).searchParams.get('since')).toBe(inForce);
    expect(await ada.page.getByLabel('Since', { exact: true }).inputValue()).toBe(local(since));
    expect(await rows().count()).toBe(3);
    await ada.page.getByRole('link', { name: 'Show all' }).click();
    await ada.page.waitForURL(/deliveries$/);
  });

  it('works without scripts, where a reload follows', async () => {
    const storageState = await ada.context.storageState();
    const plain = await browser.openProfile(service.url, { javaScriptEnabled: false, storageState });
    await plain.page.goto(webhook);
    await plain.page.getByRole('button', { name: 'Send test event' }).click();
    await plain.page.getByRole('heading', { name: 'Delivery log' }).waitFor();
    expect(await plain.page.locator('#following').isVisible()).toBe(false);
    await webhookReceiver.waitForRequests(1);
    for (let n = 0; n < 20 && (await plain.page.getByText('delivered', { exact: true }).count()) < 2; n++) {
      await plain.page.reload();
    }
    await plain.page.locator('td .ask summary').click();
    await plain.page.locator('td .ask').getByRole('button', { name: 'Replay' }).click();
    await plain.page.getByRole('heading', { name: 'webhook.test' }).waitFor();
    await plain.page.getByText('Replay queued.').waitFor();
    await plain.page.goto(`${webhook}/deliveries`);
    expect(await plain.page.getByText('In UTC').count()).toBe(3);
    await plain.page.getByLabel('State').selectOption('failed');
    await plain.page.getByRole('button', { name: 'Filter' }).click();
    await plain.page.getByRole('heading', { name: 'No matching deliveries' }).waitFor();
  });
});
