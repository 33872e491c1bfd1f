import { queryDatabase } from '../support/database';
import { Service } from '../support/service';
import { acceptRequest, WebhookReceiver, respondWithStatus } from '../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

const ANSWER = '{"error": "The queue is full", "retry": "later"}\n'.repeat(3);
const PHONE = { ...VISUAL_VARIANTS.phone, viewport: { width: 320, height: 640 } };
const ALL = { ...VISUAL_VARIANTS, narrow: PHONE };

describe.each(Object.keys(ALL))('the pages of webhooks are accessible and fit the screen: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let webhookReceiver: WebhookReceiver;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await Service.start({ ...LOOPBACK_WEBHOOKS_ENV, WEBHOOK_RETRY_SCHEDULE: '0,3600' });
    webhookReceiver = await WebhookReceiver.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, ALL[look as keyof typeof ALL]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await webhookReceiver?.stop();
    await service?.stop();
  });

  const expectSound = (name: string) => expectAccessiblePage(ada, `${look}-${name}`);
  /** Finds the cell of a table by its whole text, because ids and durations can contain the same digits. */
  const cellOf = (text: RegExp) => ada.page.locator('td').filter({ hasText: text });

  it('while there is none, and while one is made', async () => {
    await ada.page.goto('/console/webhooks');
    await expectSound('webhooks-empty');
    await ada.page.goto('/console/webhooks/new');
    await expectSound('webhook-new');
    await ada.page.getByLabel('URL').fill('nowhere');
    await ada.page.getByRole('button', { name: 'Create webhook' }).click();
    await ada.page.getByRole('alert').waitFor();
    await expectSound('webhook-refused');
    await ada.page.getByLabel('URL').fill(`${webhookReceiver.url}/releases/${'a-long-path/'.repeat(6)}`);
    await ada.page.getByLabel('Description').fill('Posts to the release channel');
    for (const type of ['session.created', 'machine.offline', 'token.expiring', 'relay.failed']) {
      await ada.page.locator(`input[value="${type}"]`).check();
    }
    await ada.page.getByRole('button', { name: 'Create webhook' }).click();
    await ada.page.getByText('Copy it now').waitFor();
    await expectSound('webhook-shown');
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.getByText('Events are being delivered.').waitFor();
    await expectSound('webhook');
  });

  it('and its log', async () => {
    const webhook = ada.currentPath();
    await ada.page.goto(`${webhook}/deliveries`);
    await expectSound('deliveries-empty');
    for (const answer of [acceptRequest, respondWithStatus(500, {}, ANSWER)]) {
      webhookReceiver.handler = answer;
      await ada.page.goto(webhook);
      await ada.page.getByRole('button', { name: 'Send test event' }).click();
      await cellOf(answer === acceptRequest ? /^204$/ : /^500$/).waitFor();
    }
    await expectSound('deliveries');
    await ada.page.locator('td .ask summary').first().click();
    await expectSound('deliveries-replay');
    await ada.page.keyboard.press('Escape');
    await ada.page.getByText('Replay failed and missed …').click();
    await expectSound('deliveries-replay-failed');
    await ada.page.goto(`${webhook}/deliveries?since=yesterday&state=failed`);
    await expectSound('deliveries-refused');
    await ada.page.goto(`${webhook}/deliveries?replayed=12`);
    await ada.page
      .getByRole('row')
      .filter({ has: cellOf(/^500$/) })
      .getByRole('link', { name: 'webhook.test' })
      .click();
    await ada.page.getByText('Request headers').click();
    await expectSound('delivery');
    await ada.page.goto(webhook);
    await ada.page.getByText('Rotate secret …').click();
    await expectSound('webhook-failing');
    await queryDatabase(service, "UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing'");
    await ada.page.goto('/console/webhooks');
    await expectSound('webhooks');
    await ada.page.goto(webhook);
    await expectSound('webhook-disabled');
  });
});
