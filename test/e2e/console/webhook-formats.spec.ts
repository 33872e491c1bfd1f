import { ConsoleClient } from '../../support/console-client';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const PATH = '/console/webhooks';

describe('the console’s form of a webhook', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let visitor: ConsoleClient;
  let csrf: string;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0' });
    webhookReceiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    visitor = await ConsoleClient.signIn(fixture.service.url, ada.device);
    csrf = await visitor.readCsrfToken();
  });
  afterAll(async () => {
    await webhookReceiver?.stop();
    await fixture?.stop();
  });

  const post = (path: string, fields: string[][] = []) => visitor.post(path, [['csrf', csrf], ...fields]);
  const create = (...fields: string[][]) => post(PATH, [['url', webhookReceiver.url], ...fields]);
  const textOf = (html: string) => html.replace(/<[^>]+>/g, '').replace(/&quot;/g, '"');

  it('creates one of a format with headers, whose values are not shown again', async () => {
    const fields = [
      ['events', 'session.created'],
      ['format', 'ntfy'],
      ['headers', 'Authorization: Bearer tk_1:2\r\n\r\n  Priority:high '],
    ];
    const made = await create(...fields);
    expect(made.status).toBe(200);
    expect(textOf(made.html)).toContain('Slack and ntfy don’t verify signatures');
    const { data } = expectStatus(await fixture.service.http.get('/external/v1/webhooks', ada.token), 200);
    expect(data).toMatchObject([{ format: 'ntfy', headerNames: ['authorization', 'priority'] }]);
    const page = `${PATH}/${data[0].id}`;
    await ada.triggerEvent();
    const [received] = await webhookReceiver.waitForRequests(1);
    expect(received!.headers).toMatchObject({ authorization: 'Bearer tk_1:2', priority: 'high' });
    const delivery = await waitFor(async () => {
      const [newest] = await ada.listDeliveries(data[0].id);
      expect(newest.state).toBe('delivered');
      return newest;
    });
    const shown = await visitor.get(`${page}/deliveries/${delivery.id}`);
    expect(textOf(shown.html)).toContain('A session is created');
    for (const line of ['title: External API', 'authorization: (not shown)']) expect(shown.html).toContain(line);
    const edited = await visitor.get(`${page}/edit`);
    expect(edited.html).toContain('value="ntfy" selected');
    expect(textOf(edited.html)).toContain('The webhook has authorization, priority.');
    for (const { html } of [made, shown, edited, await visitor.get(page)]) expect(html).not.toContain('tk_1:2');

    const same = [['url', webhookReceiver.url], ...fields.slice(0, 2)];
    expect((await post(`${page}/edit`, same)).status).toBe(303);
    expect((await ada.getWebhook(data[0].id)).headerNames).toHaveLength(2);
    expect((await post(`${page}/edit`, [...same, ['removeHeaders', 'yes']])).status).toBe(303);
    expect((await ada.getWebhook(data[0].id)).headerNames).toEqual([]);
  });

  it.each([
    ['Authorization Bearer', 'Has no name and colon in line 1.'],
    ['\nX-A: 1\n: b', 'Has no name and colon in line 3.'],
    ['X-A: 1\nX-A: 2', 'Has the header of line 2 twice.'],
    ['Host: evil.example', 'Must not have the header Host'],
    ['X-A: bücher', 'without spaces around, for X-A'],
  ])('names the header that is wrong in %j', async (headers, message) => {
    const { status, html } = await create(['events', '*'], ['headers', headers]);
    expect(status).toBe(400);
    expect(/id="headers-fault">([^<]*)/.exec(html)![1]).toContain(message);
    expect(expectStatus(await fixture.service.http.get('/external/v1/webhooks', ada.token), 200).data).toEqual([]);
  });
});
