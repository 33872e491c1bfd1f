import { expectStatus } from '../../support/device/foreign-device';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace of a request (W3C Trace Context)', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
    const scopes = ['webhooks:manage', 'sessions:read', 'machines:read', 'machines:invoke'];
    ada = await Subscriber.signUp(fixture.service.http, scopes);
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const openSession = async (headers: Record<string, string>) => {
    const { kid, sealed } = ada.device.createDataKey();
    const body = { tag: kid, dataKey: { kid, sealed } };
    expectStatus(await fixture.service.http.post('/v1/sessions', ada.device.token, body, { headers }), 201);
  };

  it('is part of every attempt to deliver the event that it caused', async () => {
    webhookReceiver.handler = (_, response, n) => response.writeHead(n === 1 ? 500 : 204, { 'Retry-After': '1' }).end();
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await openSession({ traceparent: TRACE });
    const attempts = await webhookReceiver.waitForRequests(2);
    expect(attempts.map(({ headers }) => headers.traceparent)).toEqual([TRACE, TRACE]);
  });

  it.each([
    ['no traceparent', {}],
    ['a malformed traceparent', { traceparent: `${TRACE}-and-more` }],
    ['an all-zero traceparent', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
  ])('is absent from the delivery when the request has %s', async (_, headers: Record<string, string>) => {
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await openSession(headers);
    const [received] = await webhookReceiver.waitForRequests(1);
    expect(received!.headers).not.toHaveProperty('traceparent');
  });

  it('of a relayed call is part of its event’s delivery, and that of a replay part of the replay', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['relay.failed']);
    const machine = await ada.device.pairDevice('machine');
    const about = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await fixture.service.http.post('/v1/machines', machine.token, about), 201);
    const path = `/external/v1/machines/${data.id}/invoke`;
    const options = { headers: { traceparent: TRACE } };
    expectStatus(await fixture.service.http.post(path, ada.token, { command: 'true' }, options), 503);
    const [received] = await webhookReceiver.waitForRequests(1);
    expect(received!.headers.traceparent).toBe(TRACE);

    // Reading the audit log doesn't add a trace to the calls.
    const untraced = await fixture.service.http.post(path, ada.token, { command: 'true' });
    const audit = `/v1/relay-calls/${untraced.body.requestId}`;
    expectStatus(await fixture.service.http.get(audit, ada.device.token, options), 200);
    const [, second] = await webhookReceiver.waitForRequests(2);
    expect(second!.headers).not.toHaveProperty('traceparent');

    const [delivery] = await ada.listDeliveries(id);
    const other = TRACE.replace('0af7', 'ffff');
    const replay = `/v1/webhooks/${id}/deliveries/${delivery.id}/replay`;
    expectStatus(
      await fixture.service.http.post(replay, ada.device.token, {}, { headers: { traceparent: other } }),
      201,
    );
    const [, , again] = await webhookReceiver.waitForRequests(3);
    expect(again!.headers.traceparent).toBe(other);
  });
});
