import { eventually } from '../../support/eventually';
import { Receiver, status, verify } from '../../support/webhooks/receiver';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

describe('a delivery', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let receiver: Receiver;

  beforeAll(async () => {
    scene = await WebhookScene.start();
    ada = scene.subscriber;
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  it('is a POST that the library of Standard Webhooks takes for genuine, and no other secret', async () => {
    const { id, secret } = await ada.create(receiver.url, ['session.created']);
    const session = await ada.happen();
    const [received] = await receiver.got(1);
    const payload: any = verify(secret, received!);
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
    expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, received!)).toThrow();
    expect(() => verify(secret, { ...received!, body: `${received!.body} ` })).toThrow();

    const [delivery] = await eventually(async () => {
      const all = await ada.deliveries(id);
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
    expect(await ada.webhook(id)).toMatchObject({
      state: 'active',
      lastDeliveryStatus: 204,
      lastDeliveryAt: expect.any(Number),
      failingSince: null,
    });
  });

  it('shows the record as the API does', async () => {
    await ada.create(receiver.url, ['session.created']);
    const { id } = await ada.happen();
    const [received] = await receiver.got(1);
    const shown = await scene.service.http.get(`/external/v1/sessions/${id}`, ada.token);
    expect(received!.payload.data).toEqual(shown.body.data);
  });

  it('logs each try, and is tried again as scheduled, with the same id and a new timestamp', async () => {
    receiver.answer = (request, response, n) =>
      status(n === 1 ? 500 : 200, {}, n === 1 ? 'not today' : 'fine')(request, response, n);
    const { id, secret } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await receiver.got(1);
    const failing = await eventually(async () => {
      const [delivery] = await ada.deliveries(id);
      expect(delivery).toMatchObject({ state: 'pending', attempts: 1, lastStatus: 500, finishedAt: null });
      return delivery;
    });
    expect((await ada.webhook(id)).failingSince).not.toBeNull();
    const wait = failing.nextAttemptAt - failing.createdAt;
    expect(wait).toBeGreaterThanOrEqual(5_000);
    scene.service.advance(6_100);
    const [first, second] = await receiver.got(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(Number(first!.headers['webhook-timestamp']));
    verify(secret, first!);
    const { attemptLog, ...rest } = await eventually(async () => {
      const delivery = await ada.delivery(id, failing.id);
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
      },
      { at: expect.any(Number), status: 200, durationMs: expect.any(Number), error: null, response: 'fine' },
    ]);
    expect((await ada.webhook(id)).failingSince).toBeNull();
  });

  it('goes to every subscription that matches and may be told, and to no other account’s', async () => {
    const all = await Receiver.start();
    const deaf = await Receiver.start();
    const stranger = await Subscriber.signUp(scene.service.http);
    await stranger.create(deaf.url);
    await ada.create(deaf.url, ['session.ended', 'machine.online']);
    await ada.create(all.url);
    await ada.create(receiver.url, ['session.created']);
    const session = await ada.happen();
    await Promise.all([all.got(1), receiver.got(1)]);
    expect(all.received[0]!.payload.data.id).toBe(session.id);
    expect(all.received[0]!.headers['webhook-id']).toBe(receiver.received[0]!.headers['webhook-id']);
    expect(deaf.received).toEqual([]);
    await Promise.all([all.stop(), deaf.stop()]);
  });
});
