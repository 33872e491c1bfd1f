import { waitFor } from '../../support/wait-for';
import { WebhookReceiver, respondWithStatus, verifySignature } from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

describe('a delivery', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;

  beforeAll(async () => {
    fixture = await WebhookFixture.start();
    ada = fixture.subscriber;
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  it('is a POST that the Standard Webhooks library verifies with its secret and no other', async () => {
    const { id, secret } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const session = await ada.triggerEvent();
    const [received] = await webhookReceiver.waitForRequests(1);
    const payload: any = verifySignature(secret, received!);
    expect(payload).toEqual({
      type: 'session.created',
      timestamp: expect.any(Number),
      data: expect.anything(),
    });
    expect(payload.data).toMatchObject({ id: session.id, object: 'session', contentGranted: false });
    expect(received!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(() => verifySignature(`whsec_${Buffer.alloc(32).toString('base64')}`, received!)).toThrow();
    expect(() => verifySignature(secret, { ...received!, body: `${received!.body} ` })).toThrow();

    const [delivery] = await waitFor(async () => {
      const all = await ada.listDeliveries(id);
      expect(all).toMatchObject([{ state: 'delivered' }]);
      return all;
    });
    expect(delivery).toEqual({
      id: expect.stringMatching(/^dlv_/),
      eventId: received!.headers['webhook-id'],
      type: 'session.created',
      state: 'delivered',
      attempts: 1,
      lastStatus: 204,
      nextAttemptAt: null,
      createdAt: expect.any(Number),
      finishedAt: expect.any(Number),
    });
    expect(await ada.getWebhook(id)).toMatchObject({
      state: 'active',
      lastDeliveryStatus: 204,
      lastDeliveryAt: expect.any(Number),
      failingSince: null,
    });
  });

  it('contains the record as the API returns it', async () => {
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const { id } = await ada.triggerEvent();
    const [received] = await webhookReceiver.waitForRequests(1);
    const response = await fixture.service.http.get(`/external/v1/sessions/${id}`, ada.token);
    expect(received!.payload.data).toEqual(response.body.data);
  });

  it('logs each attempt and retries on schedule, with the same id and a new timestamp', async () => {
    webhookReceiver.handler = (request, response, n) =>
      respondWithStatus(n === 1 ? 500 : 200, {}, n === 1 ? 'not today' : 'fine')(request, response, n);
    const { id, secret } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(1);
    const failing = await waitFor(async () => {
      const [delivery] = await ada.listDeliveries(id);
      expect(delivery).toMatchObject({ state: 'pending', attempts: 1, lastStatus: 500, finishedAt: null });
      return delivery;
    });
    expect((await ada.getWebhook(id)).failingSince).not.toBeNull();
    const wait = failing.nextAttemptAt - failing.createdAt;
    expect(wait).toBeGreaterThanOrEqual(5_000);
    fixture.service.advanceClock(6_100);
    const [first, second] = await webhookReceiver.waitForRequests(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(Number(first!.headers['webhook-timestamp']));
    verifySignature(secret, first!);
    const { attemptLog, ...rest } = await waitFor(async () => {
      const delivery = await ada.getDelivery(id, failing.id);
      expect(delivery.state).toBe('delivered');
      return delivery;
    });
    expect(rest.attempts).toBe(2);
    expect(attemptLog).toEqual([
      {
        at: expect.any(Number),
        status: 500,
        durationMs: expect.any(Number),
        error: null,
        response: 'not today',
        responseHeaders: expect.objectContaining({ date: expect.any(String) }),
      },
      {
        at: expect.any(Number),
        status: 200,
        durationMs: expect.any(Number),
        error: null,
        response: 'fine',
        responseHeaders: expect.objectContaining({ date: expect.any(String) }),
      },
    ]);
    expect((await ada.getWebhook(id)).failingSince).toBeNull();
  });

  it('is sent to every matching webhook with access, and to no other account', async () => {
    const all = await WebhookReceiver.start();
    const unsubscribed = await WebhookReceiver.start();
    const stranger = await Subscriber.signUp(fixture.service.http);
    await stranger.createWebhook(unsubscribed.url);
    await ada.createWebhook(unsubscribed.url, ['session.ended', 'machine.online']);
    await ada.createWebhook(all.url);
    await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const session = await ada.triggerEvent();
    await Promise.all([all.waitForRequests(1), webhookReceiver.waitForRequests(1)]);
    expect(all.received[0]!.payload.data.id).toBe(session.id);
    expect(all.received[0]!.headers['webhook-id']).toBe(webhookReceiver.received[0]!.headers['webhook-id']);
    expect(unsubscribed.received).toEqual([]);
    await Promise.all([all.stop(), unsubscribed.stop()]);
  });
});
