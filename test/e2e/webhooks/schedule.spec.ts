import { Clock, DAY, HOUR, MINUTE, SECOND } from '../../../src/common/clock';
import { eventually } from '../../support/eventually';
import { ok } from '../../support/device/foreign-device';
import { query } from '../../support/database';
import { accept, Receiver, status } from '../../support/webhooks/receiver';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

describe('the schedule of a delivery', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start();
  });
  beforeEach(async () => {
    receiver = await Receiver.start(status(500));
    ada = await Subscriber.signUp(scene.service.http);
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  /** From the tables: tokens end while the clock is moved. */
  const deliveryOf = async (id: string) => {
    const [row] = await query<any>(
      scene.service,
      `SELECT state, attempts, next_attempt_at, finished_at FROM webhook_deliveries
        WHERE webhook_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
      [id],
    );
    return row;
  };
  const tried = (id: string, attempts: number) =>
    eventually(async () => {
      const row = await deliveryOf(id);
      expect(row?.attempts).toBe(attempts);
      return row;
    }, 10_000);
  const lastTry = async (id: string) => {
    const [row] = await query<any>(
      scene.service,
      'SELECT max(at) AS at, count(*)::int AS count FROM webhook_attempts WHERE webhook_id = $1',
      [id],
    );
    return row as { at: Date; count: number };
  };
  const waitOf = async (id: string, attempts: number) => {
    const row = await tried(id, attempts);
    return row.next_attempt_at.getTime() - (await lastTry(id)).at.getTime();
  };
  const webhookOf = async (id: string) => {
    const [row] = await query<any>(
      scene.service,
      'SELECT * FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id WHERE w.id = $1',
      [id],
    );
    return row;
  };

  it('tries ten times over three days, each wait up to a fifth longer, and gives up', async () => {
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    for (const [n, wait] of WAITS.entries()) {
      const taken = await waitOf(id, n + 1);
      expect(taken).toBeGreaterThanOrEqual(wait);
      expect(taken).toBeLessThanOrEqual(wait * 1.2);
      expect(receiver.received).toHaveLength(n + 1);
      scene.service.advance(taken);
    }
    const end = await tried(id, 10);
    expect(end).toMatchObject({ state: 'failed', next_attempt_at: null });
    expect(end.finished_at).not.toBeNull();
    // Every day that it was tried on has a partition of its own.
    expect((await lastTry(id)).count).toBe(10);
    scene.service.advance(DAY);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(receiver.received).toHaveLength(10);
  });

  it.each([
    ['429', status(429), MINUTE, 1.2 * MINUTE],
    ['502', status(502), MINUTE, 1.2 * MINUTE],
    ['504', status(504), MINUTE, 1.2 * MINUTE],
    ['503', status(503), 5 * SECOND, 6 * SECOND],
    ['429 with Retry-After', status(429, { 'Retry-After': '120' }), 2 * MINUTE, 2.4 * MINUTE],
    ['503 with Retry-After', status(503, { 'Retry-After': '30' }), 30 * SECOND, 36 * SECOND],
    ['429 with too short a Retry-After', status(429, { 'Retry-After': '1' }), MINUTE, 1.2 * MINUTE],
    ['503 with too long a Retry-After', status(503, { 'Retry-After': '9999999' }), DAY, 1.2 * DAY],
    ['503 with a date of no zone', status(503, { 'Retry-After': 'Fri, 01 Jan 2100 00:00:00' }), 5 * SECOND, 6 * SECOND],
    ['503 with nonsense', status(503, { 'Retry-After': 'soon' }), 5 * SECOND, 6 * SECOND],
  ])('waits after %s as it should', async (_, answer, least, most) => {
    receiver.answer = answer;
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    const wait = await waitOf(id, 1);
    expect(wait).toBeGreaterThanOrEqual(least);
    expect(wait).toBeLessThanOrEqual(most);
  });

  it('honours a Retry-After that is a date', async () => {
    const at = new Date(scene.service.app.get(Clock).now() + 10 * MINUTE);
    receiver.answer = status(503, { 'Retry-After': at.toUTCString() });
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    const wait = await waitOf(id, 1);
    expect(wait).toBeGreaterThan(9 * MINUTE);
    expect(wait).toBeLessThanOrEqual(12 * MINUTE);
  });

  it('ends at once with 410, and disables the webhook', async () => {
    receiver.answer = status(410);
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await eventually(async () => {
      expect(await deliveryOf(id)).toMatchObject({ state: 'failed', attempts: 1 });
    });
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabled_reason: 'gone' });
    await ada.ada.signIn();
    expect((await ada.act(id, 'pause')).body.code).toBe('conflict');
    await ada.happen();
    receiver.answer = accept;
    const resumed = ok(await ada.act(id, 'resume'), 200).data;
    expect(resumed).toMatchObject({ state: 'active', disabledReason: null, failingSince: null });
    const { id: seen } = await ada.happen();
    await receiver.got(2);
    expect(receiver.received[1]!.payload.data.id).toBe(seen);
  });

  it('does not follow a redirect, which is a failure', async () => {
    const elsewhere = await Receiver.start();
    receiver.answer = status(302, { Location: elsewhere.url });
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await tried(id, 1);
    expect(elsewhere.received).toEqual([]);
    const [attempt] = await query<any>(scene.service, 'SELECT * FROM webhook_attempts WHERE webhook_id = $1', [id]);
    expect(attempt).toMatchObject({ status: 302, error: 'redirect' });
    await elsewhere.stop();
  });

  it('disables a webhook that has failed for five days', async () => {
    await ada.ada.signIn();
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await tried(id, 1);
    scene.service.advance(5 * DAY - HOUR);
    await tried(id, 2);
    expect((await webhookOf(id)).state).toBe('active');
    scene.service.advance(HOUR);
    await tried(id, 3);
    const webhook = await webhookOf(id);
    expect(webhook).toMatchObject({ state: 'disabled', disabled_reason: 'failing' });
    expect(webhook.failing_since).not.toBeNull();
    // What was not given up waits, and goes on when it is resumed.
    expect((await deliveryOf(id)).state).toBe('pending');
    await ada.ada.signIn();
    receiver.answer = accept;
    ok(await ada.act(id, 'resume'), 200);
    scene.service.advance(HOUR);
    await eventually(async () => expect((await deliveryOf(id)).state).toBe('delivered'));
  });

  it('opens a breaker after ten failures in a row, which lets one try through at a time', async () => {
    await ada.ada.signIn();
    const { id } = await ada.create(receiver.url, ['session.created']);
    ok(await ada.act(id, 'pause'), 200);
    for (let n = 0; n < 40; n++) await ada.happen();
    ok(await ada.act(id, 'resume'), 200);
    await eventually(async () => {
      expect(await webhookOf(id)).toMatchObject({ owner: null, probe_at: expect.any(Date) });
    });
    const before = receiver.received.length;
    expect(before).toBeGreaterThanOrEqual(10);
    expect(before).toBeLessThan(20);
    receiver.most = 0;
    scene.service.advance(61 * SECOND);
    await receiver.got(before + 1);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(receiver.received).toHaveLength(before + 1);
    receiver.answer = accept;
    scene.service.advance(61 * SECOND);
    await eventually(async () => {
      const [row] = await query<any>(
        scene.service,
        `SELECT count(*)::int AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'delivered'`,
        [id],
      );
      expect(row.count).toBe(40);
    }, 10_000);
    expect((await webhookOf(id)).probe_at).toBeNull();
    expect(receiver.most).toBeLessThanOrEqual(10);
  });
});

describe('a schedule of the operator', () => {
  it('has its own waits, jittered too', async () => {
    const scene = await WebhookScene.start({ WEBHOOK_RETRY_SCHEDULE: '0, 100' });
    const receiver = await Receiver.start(status(500));
    const ada = scene.subscriber;
    const { id } = await ada.create(receiver.url, ['session.created']);
    await ada.happen();
    await receiver.got(1);
    const [delivery] = await eventually(async () => {
      const all = await ada.deliveries(id);
      expect(all[0]?.attempts).toBe(1);
      return all;
    });
    expect(delivery.nextAttemptAt - delivery.createdAt).toBeGreaterThanOrEqual(100 * SECOND);
    scene.service.advance(121 * SECOND);
    await eventually(async () => {
      expect(await ada.deliveries(id)).toMatchObject([{ state: 'failed', attempts: 2 }]);
    });
    await receiver.stop();
    await scene.stop();
  });
});
