import { Receiver, status, verify } from '../support/webhooks/receiver';
import { LOOPBACK } from '../support/webhooks/webhook-scene';
import { TestBrowser, type Person } from './support/browser';
import { tabTo } from './support/keyboard';
import { openStage, type Stage } from './support/stage';

describe('the pages of webhooks', () => {
  let service: Stage;
  let browser: TestBrowser;
  let receiver: Receiver;
  let ada: Person;
  beforeAll(async () => {
    service = await openStage({ ...LOOPBACK, WEBHOOK_RETRY_SCHEDULE: '0' });
    receiver = await Receiver.start();
    browser = await TestBrowser.launch();
    ada = await browser.person(service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await ada.signUp('ada');
  });
  afterAll(async () => {
    expect(ada.complaints).toEqual([]);
    await browser?.close();
    await receiver?.stop();
    await service?.stop();
  });

  const button = (name: string) => ada.page.getByRole('button', { name, exact: true });
  const shownSecret = async () =>
    (await ada.page.getByRole('group', { name: 'Signing secret' }).locator('code').textContent())!;

  it('teach what a receiver must do, while there is none', async () => {
    await ada.page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await ada.page.getByRole('heading', { name: 'No webhook yet' }).waitFor();
    await ada.page.getByText('answer with a 2xx within 20 seconds').waitFor();
    await ada.page.getByText(`${service.url}/external/v1/webhooks`).waitFor();
  });

  it('make one, whose test arrives, signed with the secret that was shown once', async () => {
    await ada.page.getByRole('link', { name: 'New webhook' }).click();
    await ada.page.getByLabel('Address').fill(receiver.url);
    await ada.page.getByLabel('Description').fill('Posts <script>alert(1)</script>');
    await ada.page.locator('input[value="token.created"]').check();
    await button('Create webhook').click();
    const secret = await shownSecret();
    await ada.page.reload();
    await ada.page.getByText('Posts <script>').waitFor();
    expect(await ada.page.content()).not.toContain(secret);

    await button('Send a test').click();
    await ada.page.getByRole('cell', { name: 'delivered' }).waitFor();
    verify(secret, receiver.received[0]!);
    expect(receiver.types).toEqual(['webhook.test']);
  });

  it('show each try with what was sent and what came back, and copy the body as it was sent', async () => {
    receiver.answer = status(500, {}, 'Out of <b>paper</b>');
    await ada.page.goto('/console/tokens/new');
    await ada.page.getByLabel('Name').fill('Told of');
    await button('Create token').click();
    const received = (await receiver.got(2))[1]!;
    await ada.page.goto('/console/webhooks');
    await ada.page.getByRole('link', { name: receiver.url }).click();
    await ada.page.getByText('Every try has failed since').waitFor();
    await ada.page.getByRole('link', { name: 'Delivery log' }).click();
    await ada.page.getByRole('link', { name: 'token.created' }).click();
    await ada.page.getByText('Out of <b>paper</b>').waitFor();
    await ada.page.getByText('Request headers').click();
    await ada.page.getByText(`webhook-timestamp: ${received.headers['webhook-timestamp']}`).waitFor();
    await button('Copy').click();
    expect(await ada.page.evaluate('navigator.clipboard.readText()')).toBe(received.body);
  });

  it('replay what failed, all since a time, and one alone', async () => {
    receiver.answer = status(204);
    await ada.page.getByRole('link', { name: 'Delivery log' }).click();
    await ada.page.getByText('Replay failed …').click();
    await button('Replay failed').click();
    await ada.page.getByText('One event is sent again.').waitFor();
    await ada.page.getByRole('row', { name: /token\.created.*delivered/ }).waitFor();
    expect(receiver.types).toEqual(['webhook.test', 'token.created', 'token.created']);
    const row = ada.page.getByRole('row', { name: /webhook\.test/ });
    await row.getByText('Replay …').click();
    await row.getByRole('button', { name: 'Replay' }).click();
    await ada.page.getByRole('heading', { name: 'webhook.test' }).waitFor();
    await ada.page.locator('.tries').getByText('204').waitFor();
    expect(receiver.types.at(-1)).toBe('webhook.test');
  });

  it('keep what was typed where something is wrong with it', async () => {
    await ada.page.goto('/console/webhooks/new');
    await ada.page.getByLabel('Address').fill('http://10.0.0.1/');
    await ada.page.locator('input[value="*"]').check();
    await button('Create webhook').click();
    await ada.page.getByText('Must lead to public addresses alone.').waitFor();
    // The 400 that the page was answered with.
    expect(ada.complaints.splice(0)).toHaveLength(1);
    expect(await ada.page.getByLabel('Address').inputValue()).toBe('http://10.0.0.1/');
    expect(await ada.page.locator('input[value="*"]').isChecked()).toBe(true);
  });

  it('pause, resume, rotate and delete, asking before what cannot be taken back', async () => {
    await ada.page.goto('/console/webhooks');
    await ada.page.getByRole('link', { name: receiver.url }).click();
    await button('Pause').click();
    await ada.page.getByText('Deliveries wait, for thirty days at most').waitFor();
    await button('Resume').click();
    await ada.page.getByText('Deliveries go out.').waitFor();
    await ada.page.getByText('Rotate the secret …').click();
    await ada.page.getByLabel('The old secret stops signing').selectOption('at once');
    await button('Rotate the secret').click();
    const secret = await shownSecret();
    await ada.page.getByRole('link', { name: 'I have it' }).click();
    const count = receiver.received.length;
    await button('Send a test').click();
    verify(secret, (await receiver.got(count + 1))[count]!);
    await ada.page.getByRole('link', { name: new URL(receiver.url).host }).click();
    await ada.page.getByText('Delete …').click();
    await ada.page.getByText('Deliveries that wait are dropped').waitFor();
    await button('Delete').click();
    await ada.page.getByRole('heading', { name: 'No webhook yet' }).waitFor();
  });

  it('are made, and a delivery is replayed, with the keyboard alone', async () => {
    const { page } = ada;
    const press = (key: string) => page.keyboard.press(key);
    await page.goto('/console/webhooks');
    await tabTo(page, page.getByRole('link', { name: 'New webhook' }));
    await press('Enter');
    await tabTo(page, page.getByLabel('Address'));
    await page.keyboard.type(receiver.url);
    await tabTo(page, page.locator('input[value="*"]'));
    await press('Space');
    await tabTo(page, button('Create webhook'));
    await press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'I have it' }));
    await press('Enter');
    await tabTo(page, button('Send a test'));
    const count = receiver.received.length;
    await press('Enter');
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
    await tabTo(page, page.locator('td .ask summary'));
    await press('Enter');
    await tabTo(page, page.locator('td .ask button'));
    await press('Enter');
    await page.locator('.tries').getByText('204').waitFor();
    const ids = (await receiver.got(count + 2)).slice(count).map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
  });
});
