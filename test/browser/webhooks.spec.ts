import { WebhookReceiver, respondWithStatus, verifySignature } from '../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { focusWithTab } from './support/keyboard';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';

describe('the pages of webhooks', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let webhookReceiver: WebhookReceiver;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await startBrowserEnvironment({ ...LOOPBACK_WEBHOOKS_ENV, WEBHOOK_RETRY_SCHEDULE: '0' });
    webhookReceiver = await WebhookReceiver.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await ada.signUp('ada');
  });
  afterAll(async () => {
    expect(ada.pageErrors).toEqual([]);
    await browser?.close();
    await webhookReceiver?.stop();
    await service?.stop();
  });

  const button = (name: string) => ada.page.getByRole('button', { name, exact: true });
  const shownSecret = async () =>
    (await ada.page.getByRole('group', { name: 'Signing secret' }).locator('code').textContent())!;

  it('teach what a receiver must do, while there is none', async () => {
    await ada.page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await ada.page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await ada.page.getByText('respond with a 2xx status within 20 seconds').waitFor();
    await ada.page.getByText(`${service.url}/external/v1/webhooks`).waitFor();
  });

  it('make one, whose test arrives, signed with the secret that was shown once', async () => {
    await ada.page.getByRole('link', { name: 'New webhook' }).click();
    await ada.page.getByLabel('URL').fill(webhookReceiver.url);
    await ada.page.getByLabel('Description').fill('Posts <script>alert(1)</script>');
    await ada.page.locator('input[value="token.created"]').check();
    await button('Create webhook').click();
    const secret = await shownSecret();
    await ada.page.reload();
    await ada.page.getByText('Posts <script>').waitFor();
    expect(await ada.page.content()).not.toContain(secret);

    await button('Send test event').click();
    await ada.page.getByRole('cell', { name: 'delivered' }).waitFor();
    verifySignature(secret, webhookReceiver.received[0]!);
    expect(webhookReceiver.receivedTypes).toEqual(['webhook.test']);
  });

  it('show each try with what was sent and what came back, and copy the body as it was sent', async () => {
    webhookReceiver.handler = respondWithStatus(500, {}, 'Out of <b>paper</b>');
    await ada.page.goto('/console/tokens/new');
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('Told of');
    await button('Create token').click();
    const receivedRequest = (await webhookReceiver.waitForRequests(2))[1]!;
    await ada.page.goto('/console/webhooks');
    await ada.page.getByRole('link', { name: webhookReceiver.url }).click();
    await ada.page.getByText('Every attempt has failed since').waitFor();
    await ada.page.getByRole('link', { name: 'Delivery log' }).click();
    await ada.page.getByRole('link', { name: 'token.created' }).click();
    await ada.page.getByText('Out of <b>paper</b>').waitFor();
    await ada.page.getByText('Request headers').click();
    await ada.page.getByText(`webhook-timestamp: ${receivedRequest.headers['webhook-timestamp']}`).waitFor();
    await button('Copy').click();
    expect(await ada.page.evaluate('navigator.clipboard.readText()')).toBe(receivedRequest.body);
  });

  it('replay what failed, all since a time, and one alone', async () => {
    webhookReceiver.handler = respondWithStatus(204);
    await ada.page.getByRole('link', { name: 'Delivery log' }).click();
    await ada.page.getByText('Replay failed and missed …').click();
    await button('Replay failed and missed').click();
    await ada.page.getByText('Replaying 1 event.').waitFor();
    await ada.page.getByRole('row', { name: /token\.created.*delivered/ }).waitFor();
    expect(webhookReceiver.receivedTypes).toEqual(['webhook.test', 'token.created', 'token.created']);
    const row = ada.page.getByRole('row', { name: /webhook\.test/ });
    await row.getByText('Replay …').click();
    await row.getByRole('button', { name: 'Replay' }).click();
    await ada.page.getByRole('heading', { name: 'webhook.test' }).waitFor();
    await ada.page.locator('.attempts').getByText('204', { exact: true }).waitFor();
    expect(webhookReceiver.receivedTypes.at(-1)).toBe('webhook.test');
  });

  it('show the success rate in a range, and the numbers of a bar by arrow keys', async () => {
    const { page } = ada;
    await page.goto('/console/webhooks');
    await page.getByRole('link', { name: webhookReceiver.url }).click();
    await page.getByText('75 % succeeded: 4 attempts, 1 failed.').waitFor();
    await page.getByRole('link', { name: 'Last 7 days' }).click();
    const chart = page.locator('.chart', { has: page.getByRole('img', { name: 'Attempts, the last 7 days' }) });
    await chart.locator('svg').focus();
    await page.keyboard.press('ArrowLeft');
    const last = (await chart.locator('g title').last().textContent())!;
    expect(last).toMatch(/^\d+ \w+,? \d\d:00 UTC: 4 attempts, 1 failed$/);
    expect(await chart.locator('output').textContent()).toBe(last);
    await page.getByRole('img', { name: 'Response times, the last 7 days' }).waitFor();
  });

  it('keep what was typed where something is wrong with it', async () => {
    await ada.page.goto('/console/webhooks/new');
    await ada.page.getByLabel('URL').fill('http://10.0.0.1/');
    await ada.page.locator('input[value="*"]').check();
    await button('Create webhook').click();
    await ada.page.getByText('Must resolve to public addresses only.').waitFor();
    // The 400 that the page was answered with.
    expect(ada.pageErrors.splice(0)).toHaveLength(1);
    expect(await ada.page.getByLabel('URL').inputValue()).toBe('http://10.0.0.1/');
    expect(await ada.page.locator('input[value="*"]').isChecked()).toBe(true);
  });

  it('pause, resume, rotate and delete, asking before what cannot be taken back', async () => {
    await ada.page.goto('/console/webhooks');
    await ada.page.getByRole('link', { name: webhookReceiver.url }).click();
    await button('Pause').click();
    await ada.page.getByText('Deliveries wait until you resume the webhook').waitFor();
    await button('Resume').click();
    await ada.page.getByText('Events are being delivered.').waitFor();
    await ada.page.getByText('Rotate secret …').click();
    await ada.page.getByLabel('The old secret expires').selectOption('at once');
    await button('Rotate secret').click();
    const secret = await shownSecret();
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    const count = webhookReceiver.received.length;
    await button('Send test event').click();
    verifySignature(secret, (await webhookReceiver.waitForRequests(count + 1))[count]!);
    await ada.page.getByRole('link', { name: new URL(webhookReceiver.url).host }).click();
    await ada.page.getByText('Delete …').click();
    await ada.page.getByText('This stops all deliveries').waitFor();
    await button('Delete').click();
    await ada.page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });

  it('are made, and a delivery is replayed, with the keyboard alone', async () => {
    const { page } = ada;
    const press = (key: string) => page.keyboard.press(key);
    await page.goto('/console/webhooks');
    await focusWithTab(page, page.getByRole('link', { name: 'New webhook' }));
    await press('Enter');
    await focusWithTab(page, page.getByLabel('URL'));
    await page.keyboard.type(webhookReceiver.url);
    await focusWithTab(page, page.locator('input[value="*"]'));
    await press('Space');
    await focusWithTab(page, button('Create webhook'));
    await press('Enter');
    await focusWithTab(page, page.getByRole('link', { name: 'I’ve saved it' }));
    await press('Enter');
    await focusWithTab(page, button('Send test event'));
    const count = webhookReceiver.received.length;
    await press('Enter');
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
    await focusWithTab(page, page.locator('td .ask summary'));
    await press('Enter');
    await focusWithTab(page, page.locator('td .ask button:not([data-close])'));
    await press('Enter');
    await page.locator('.attempts').getByText('204', { exact: true }).waitFor();
    const ids = (await webhookReceiver.waitForRequests(count + 2))
      .slice(count)
      .map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
  });
});
