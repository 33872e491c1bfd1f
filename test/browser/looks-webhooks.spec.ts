import { query } from '../support/database';
import { Service } from '../support/service';
import { accept, Receiver, status } from '../support/webhooks/receiver';
import { LOOPBACK } from '../support/webhooks/webhook-scene';
import { TestBrowser, type Person } from './support/browser';
import { expectSoundPage, LOOKS } from './support/looks';

const ANSWER = '{"error": "The queue is full", "retry": "later"}\n'.repeat(3);
const PHONE = { ...LOOKS.phone, viewport: { width: 320, height: 640 } };
const ALL = { ...LOOKS, narrow: PHONE };

describe.each(Object.keys(ALL))('the pages of webhooks look right: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let receiver: Receiver;
  let ada: Person;
  beforeAll(async () => {
    service = await Service.start({ ...LOOPBACK, WEBHOOK_RETRY_SCHEDULE: '0,3600' });
    receiver = await Receiver.start();
    browser = await TestBrowser.launch();
    ada = await browser.person(service.url, ALL[look as keyof typeof ALL]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await receiver?.stop();
    await service?.stop();
  });

  const expectSound = (name: string) => expectSoundPage(ada, `${look}-${name}`);

  it('while there is none, and while one is made', async () => {
    await ada.page.goto('/console/webhooks');
    await expectSound('webhooks-empty');
    await ada.page.goto('/console/webhooks/new');
    await expectSound('webhook-new');
    await ada.page.getByLabel('Address').fill('nowhere');
    await ada.page.getByRole('button', { name: 'Create webhook' }).click();
    await ada.page.getByRole('alert').waitFor();
    await expectSound('webhook-refused');
    await ada.page.getByLabel('Address').fill(`${receiver.url}/releases/${'a-long-path/'.repeat(6)}`);
    await ada.page.getByLabel('Description').fill('Posts to the release channel');
    for (const type of ['session.created', 'machine.offline', 'token.expiring', 'relay.failed']) {
      await ada.page.locator(`input[value="${type}"]`).check();
    }
    await ada.page.getByRole('button', { name: 'Create webhook' }).click();
    await ada.page.getByText('Copy it now').waitFor();
    await expectSound('webhook-shown');
    await ada.page.getByRole('link', { name: 'I have it' }).click();
    await ada.page.getByText('Deliveries go out.').waitFor();
    await expectSound('webhook');
  });

  it('and its log', async () => {
    const webhook = ada.path();
    await ada.page.goto(`${webhook}/deliveries`);
    await expectSound('deliveries-empty');
    for (const answer of [accept, status(500, {}, ANSWER)]) {
      receiver.answer = answer;
      await ada.page.goto(webhook);
      await ada.page.getByRole('button', { name: 'Send a test' }).click();
      await ada.page
        .getByRole('row')
        .filter({ hasText: answer === accept ? /204/ : /500/ })
        .waitFor();
    }
    await expectSound('deliveries');
    await ada.page.locator('td .ask summary').first().click();
    await expectSound('deliveries-replay');
    await ada.page.keyboard.press('Escape');
    await ada.page.getByText('Replay failed …').click();
    await expectSound('deliveries-replay-failed');
    await ada.page.goto(`${webhook}/deliveries?since=yesterday&state=failed`);
    await expectSound('deliveries-refused');
    await ada.page.goto(`${webhook}/deliveries?replayed=12`);
    await ada.page.getByRole('row').filter({ hasText: /500/ }).getByRole('link', { name: 'webhook.test' }).click();
    await ada.page.getByText('Request headers').click();
    await expectSound('delivery');
    await ada.page.goto(webhook);
    await ada.page.getByText('Rotate the secret …').click();
    await expectSound('webhook-failing');
    await query(service, "UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing'");
    await ada.page.goto('/console/webhooks');
    await expectSound('webhooks');
    await ada.page.goto(webhook);
    await expectSound('webhook-disabled');
  });
});
