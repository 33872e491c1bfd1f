import { DAY, HOUR } from '../../../src/common/clock';
import { Retention } from '../../../src/persistence';
import { eventually } from '../../support/eventually';
import { ok } from '../../support/device/foreign-device';
import { accept, Receiver, status, verify, type Received } from '../../support/webhooks/receiver';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

/** At the time that it was sent: the library judges that by the machine's clock, and the service's was moved. */
function verifyThen(secret: string, received: Received): void {
  const now = Date.now;
  Date.now = () => Number(received.headers['webhook-timestamp']) * 1_000;
  try {
    verify(secret, received);
  } finally {
    Date.now = now;
  }
}

describe('what a person does with a webhook', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start({ WEBHOOK_RETRY_SCHEDULE: '0' });
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
    ada = await Subscriber.signUp(scene.service.http);
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  const states = async (id: string) => (await ada.deliveries(id)).map(({ state }) => state as string);
  const settled = (id: string, expected: string[]) =>
    eventually(async () => expect(await states(id)).toEqual(expected), 10_000);

  it('pauses and resumes it without loss', async () => {
    const { id } = await ada.create(receiver.url, ['session.created']);
    const paused = ok(await ada.act(id, 'pause'), 200).data;
    expect(paused).toMatchObject({ id, state: 'paused' });
    for (let n = 0; n < 3; n++) await ada.happen();
    await settled(id, ['pending', 'pending', 'pending']);
    expect(receiver.received).toEqual([]);
    expect(ok(await ada.act(id, 'pause'), 200).data).toEqual(paused);
    expect(ok(await ada.act(id, 'resume'), 200).data.state).toBe('active');
    await receiver.got(3);
    await settled(id, ['delivered', 'delivered', 'delivered']);
  });

  it('rotates its secret, both signing while they overlap', async () => {
    const { id, secret: old } = await ada.create(receiver.url, ['session.created']);
    const rotated = await ada.act(id, 'rotate-secret', { overlapSeconds: 3_600 });
    const { signingSecret, data } = ok(rotated, 200);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect(data.id).toBe(id);
    expect(signingSecret).not.toBe(old);
    await ada.happen();
    const [during] = await receiver.got(1);
    expect(during!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
    verify(old, during!);
    verify(signingSecret, during!);

    scene.service.advance(HOUR);
    await ada.happen();
    const after = (await receiver.got(2))[1]!;
    expect(after.headers['webhook-signature']!.split(' ')).toHaveLength(1);
    verifyThen(signingSecret, after);
    expect(() => verifyThen(old, after)).toThrow('No matching signature');
  });

  it('sends a test, whatever it subscribes to', async () => {
    const { id } = await ada.create(receiver.url, ['machine.online']);
    const answer = await ada.act(id, 'test');
    expect(answer.status).toBe(202);
    const [received] = await receiver.got(1);
    expect(received!.payload).toMatchObject({ type: 'webhook.test', data: { id, object: 'webhook' } });
    expect(await ada.deliveries(id, '&type=webhook.test')).toHaveLength(1);
    expect(await ada.deliveries(id, '&type=machine.online')).toHaveLength(0);
  });

  it('replays one delivery: the same event, a delivery of its own, as often as asked', async () => {
    const { id, secret } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await settled(id, ['delivered']);
    const [first] = await ada.deliveries(id);
    const replay = () => ada.act(id, `deliveries/${first.id}/replay`);
    const second = ok(await replay(), 201).data;
    expect(second).toMatchObject({ eventId: first.eventId, type: first.type, state: 'pending', attempts: 0 });
    expect(second.id).not.toBe(first.id);
    ok(await replay(), 201);
    const received = await receiver.got(3);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first.eventId]));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    for (const each of received) verifyThen(secret, each);
    await settled(id, ['delivered', 'delivered', 'delivered']);
    expect((await ada.act(id, 'deliveries/dlv_unknown/replay')).status).toBe(404);
  });

  it('replays what failed since a time, and nothing else', async () => {
    const { id } = await ada.create(receiver.url, ['session.created']);
    receiver.answer = status(500);
    await ada.happen();
    await settled(id, ['failed']);
    scene.service.advance(1_000);
    const since = (await ada.deliveries(id))[0].createdAt + 1;
    await ada.happen();
    await ada.happen();
    await settled(id, ['failed', 'failed', 'failed']);
    receiver.answer = accept;
    await ada.happen();
    await settled(id, ['delivered', 'failed', 'failed', 'failed']);

    const answer = await ada.act(id, 'replay', { since });
    expect(ok(answer, 202)).toEqual({ count: 2 });
    await eventually(async () => {
      expect((await states(id)).filter((state) => state === 'delivered')).toHaveLength(3);
    });
    expect(ok(await ada.act(id, 'replay', { since }), 202)).toEqual({ count: 0 });
    expect(ok(await ada.act(id, 'replay', { since: 0 }), 202)).toEqual({ count: 1 });
    expect((await ada.act(id, 'replay', {})).status).toBe(400);
    expect((await ada.act(id, 'replay', { since: -1 })).status).toBe(400);
  });

  it('replays what failed once, whoever else asks at the same time', async () => {
    const { id } = await ada.create(receiver.url, ['session.created']);
    receiver.answer = status(500);
    for (let n = 0; n < 3; n++) await ada.happen();
    await settled(id, ['failed', 'failed', 'failed']);
    // What fails again may be replayed again.
    receiver.answer = accept;
    const answers = await Promise.all(Array.from({ length: 4 }, () => ada.act(id, 'replay', { since: 0 })));
    expect(answers.map((answer) => ok(answer, 202).count).sort()).toEqual([0, 0, 0, 3]);
    await settled(id, ['delivered', 'delivered', 'delivered', 'failed', 'failed', 'failed']);
    expect(receiver.received).toHaveLength(6);
  });

  it('reads the log with filters, page by page', async () => {
    const { id } = await ada.create(receiver.url, ['session.created', 'session.ended']);
    for (let n = 0; n < 5; n++) await ada.happen();
    await settled(
      id,
      Array.from({ length: 5 }, () => 'delivered'),
    );
    const path = `/v1/webhooks/${id}/deliveries`;
    const get = async (query: string) => ok(await scene.service.http.get(`${path}?${query}`, ada.ada.token), 200);
    const first = await get('limit=3&state=delivered');
    const rest = await get(`cursor=${first.nextCursor}`);
    const all = [...first.data, ...rest.data];
    expect(new Set(all.map(({ id: each }: any) => each)).size).toBe(5);
    expect(rest.nextCursor).toBeNull();
    expect((await get('type=session.ended')).data).toEqual([]);
    expect((await get(`until=${all[4].createdAt}`)).data).toEqual([]);
    expect((await get(`since=${all[0].createdAt + 1}`)).data).toEqual([]);
    const refused = await scene.service.http.get(`${path}?state=lost`, ada.ada.token);
    expect(refused.status).toBe(400);
  });

  it('keeps the log thirty days', async () => {
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await settled(id, ['delivered']);
    const retention = scene.service.app.get(Retention, { strict: false });
    scene.service.advance(29 * DAY);
    await ada.ada.signIn();
    await retention.run();
    expect(await states(id)).toEqual(['delivered']);
    scene.service.advance(DAY + HOUR);
    await retention.run();
    expect(await states(id)).toEqual([]);
  });
});
