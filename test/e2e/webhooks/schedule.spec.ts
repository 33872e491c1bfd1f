import { Clock, DAY, HOUR, MINUTE, SECOND } from '../../../src/common/clock';
import { waitFor } from '../../support/wait-for';
import { expectStatus } from '../../support/device/foreign-device';
import { queryDatabase } from '../../support/database';
import { acceptRequest, WebhookReceiver, respondWithStatus } from '../../support/webhooks/webhook-receiver';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';

const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

describe('the schedule of a delivery', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start(respondWithStatus(500));
    ada = await Subscriber.signUp(fixture.service.http);
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  /** Reads the table, since tokens expire when the test advances the clock. */
  const deliveryOf = async (id: string) => {
    const [row] = await queryDatabase<any>(
      fixture.service,
      `SELECT state, attempts, next_attempt_at, finished_at FROM webhook_deliveries
        WHERE webhook_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
      [id],
    );
    return row;
  };
  const waitForAttempts = (id: string, attempts: number) =>
    waitFor(async () => {
      const row = await deliveryOf(id);
      expect(row?.attempts).toBe(attempts);
      return row;
    }, 10_000);
  const readAttemptLog = async (id: string) => {
    const [row] = await queryDatabase<any>(
      fixture.service,
      'SELECT max(at) AS at, count(*)::int AS count FROM webhook_attempts WHERE webhook_id = $1',
      [id],
    );
    return row as { at: Date; count: number };
  };
  const waitOf = async (id: string, attempts: number) => {
    const row = await waitForAttempts(id, attempts);
    return row.next_attempt_at.getTime() - (await readAttemptLog(id)).at.getTime();
  };
  const webhookOf = async (id: string) => {
    const [row] = await queryDatabase<any>(
      fixture.service,
      'SELECT * FROM webhooks w JOIN webhook_endpoint_queues q ON q.webhook_id = w.id WHERE w.id = $1',
      [id],
    );
    return row;
  };

  it('makes ten attempts over three days, with up to 20 % jitter, and fails', async () => {
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    for (const [n, wait] of RETRY_DELAYS_MS.entries()) {
      const taken = await waitOf(id, n + 1);
      expect(taken).toBeGreaterThanOrEqual(wait);
      expect(taken).toBeLessThanOrEqual(wait * 1.2);
      expect(webhookReceiver.received).toHaveLength(n + 1);
      fixture.service.advanceClock(taken);
    }
    const end = await waitForAttempts(id, 10);
    expect(end).toMatchObject({ state: 'failed', next_attempt_at: null });
    expect(end.finished_at).not.toBeNull();
    // The attempts are spread over several daily partitions.
    expect((await readAttemptLog(id)).count).toBe(10);
    fixture.service.advanceClock(DAY);
    // The attempt of a later event shows that everything has been sent that was due.
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(11);
    const deliveryIds = webhookReceiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(deliveryIds.slice(0, 10)).size).toBe(1);
    expect(deliveryIds[10]).not.toBe(deliveryIds[0]);
  });

  it.each([
    ['429', respondWithStatus(429), MINUTE, 1.2 * MINUTE],
    ['502', respondWithStatus(502), MINUTE, 1.2 * MINUTE],
    ['504', respondWithStatus(504), MINUTE, 1.2 * MINUTE],
    ['503', respondWithStatus(503), 5 * SECOND, 6 * SECOND],
    ['429 with Retry-After', respondWithStatus(429, { 'Retry-After': '120' }), 2 * MINUTE, 2.4 * MINUTE],
    ['503 with Retry-After', respondWithStatus(503, { 'Retry-After': '30' }), 30 * SECOND, 36 * SECOND],
    ['429 with too short a Retry-After', respondWithStatus(429, { 'Retry-After': '1' }), MINUTE, 1.2 * MINUTE],
    ['503 with too long a Retry-After', respondWithStatus(503, { 'Retry-After': '9999999' }), DAY, 1.2 * DAY],
    [
      '503 with a date without a zone',
      respondWithStatus(503, { 'Retry-After': 'Fri, 01 Jan 2100 00:00:00' }),
      5 * SECOND,
      6 * SECOND,
    ],
    ['503 with an invalid Retry-After', respondWithStatus(503, { 'Retry-After': 'soon' }), 5 * SECOND, 6 * SECOND],
  ])('waits long enough after %s', async (_, answer, least, most) => {
    webhookReceiver.handler = answer;
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    const wait = await waitOf(id, 1);
    expect(wait).toBeGreaterThanOrEqual(least);
    expect(wait).toBeLessThanOrEqual(most);
  });

  it('honors a date in Retry-After', async () => {
    const at = new Date(fixture.service.app.get(Clock).now() + 10 * MINUTE);
    webhookReceiver.handler = respondWithStatus(503, { 'Retry-After': at.toUTCString() });
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    const wait = await waitOf(id, 1);
    expect(wait).toBeGreaterThan(9 * MINUTE);
    expect(wait).toBeLessThanOrEqual(12 * MINUTE);
  });

  it('fails the delivery and disables the webhook after 410', async () => {
    webhookReceiver.handler = respondWithStatus(410);
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitFor(async () => {
      expect(await deliveryOf(id)).toMatchObject({ state: 'failed', attempts: 1 });
    });
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabled_reason: 'gone' });
    await ada.device.signIn();
    expect((await ada.postAction(id, 'pause')).body.code).toBe('conflict');
    await ada.triggerEvent();
    webhookReceiver.handler = acceptRequest;
    const resumed = expectStatus(await ada.postAction(id, 'resume'), 200).data;
    expect(resumed).toMatchObject({ state: 'active', disabledReason: null, failingSince: null });
    const { id: seen } = await ada.triggerEvent();
    await webhookReceiver.waitForRequests(2);
    expect(webhookReceiver.received[1]!.payload.data.id).toBe(seen);
  });

  it('treats a redirect as a failure and doesn’t follow it', async () => {
    const elsewhere = await WebhookReceiver.start();
    webhookReceiver.handler = respondWithStatus(302, { Location: elsewhere.url });
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForAttempts(id, 1);
    expect(elsewhere.received).toEqual([]);
    const [attempt] = await queryDatabase<any>(
      fixture.service,
      'SELECT * FROM webhook_attempts WHERE webhook_id = $1',
      [id],
    );
    expect(attempt).toMatchObject({ status: 302, error: 'redirect' });
    await elsewhere.stop();
  });

  it('disables a webhook that has failed for five days', async () => {
    await ada.device.signIn();
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await waitForAttempts(id, 1);
    fixture.service.advanceClock(5 * DAY - HOUR);
    await waitForAttempts(id, 2);
    expect((await webhookOf(id)).state).toBe('active');
    fixture.service.advanceClock(HOUR);
    await waitForAttempts(id, 3);
    const webhook = await webhookOf(id);
    expect(webhook).toMatchObject({ state: 'disabled', disabled_reason: 'failing' });
    expect(webhook.failing_since).not.toBeNull();
    // Pending deliveries wait, and continue when the webhook is resumed.
    expect((await deliveryOf(id)).state).toBe('pending');
    await ada.device.signIn();
    webhookReceiver.handler = acceptRequest;
    expectStatus(await ada.postAction(id, 'resume'), 200);
    fixture.service.advanceClock(HOUR);
    await waitFor(async () => expect((await deliveryOf(id)).state).toBe('delivered'));
  });

  it('opens the circuit breaker after ten failures in a row and then sends one probe at a time', async () => {
    await ada.device.signIn();
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    expectStatus(await ada.postAction(id, 'pause'), 200);
    for (let n = 0; n < 40; n++) await ada.triggerEvent();
    expectStatus(await ada.postAction(id, 'resume'), 200);
    await waitFor(async () => {
      expect(await webhookOf(id)).toMatchObject({ owner: null, probe_at: expect.any(Date) });
    });
    const before = webhookReceiver.received.length;
    expect(before).toBeGreaterThanOrEqual(10);
    expect(before).toBeLessThan(20);
    webhookReceiver.maxOpenRequests = 0;
    const { probe_at: firstProbeAt } = await webhookOf(id);
    fixture.service.advanceClock(61 * SECOND);
    await waitFor(async () => {
      const { owner, probe_at: probeAt } = await webhookOf(id);
      expect(owner).toBeNull();
      expect(probeAt.getTime()).toBeGreaterThan(firstProbeAt.getTime());
    }, 20_000);
    expect(webhookReceiver.received).toHaveLength(before + 1);
    webhookReceiver.handler = acceptRequest;
    fixture.service.advanceClock(61 * SECOND);
    await waitFor(async () => {
      const [row] = await queryDatabase<any>(
        fixture.service,
        `SELECT count(*)::int AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'delivered'`,
        [id],
      );
      expect(row.count).toBe(40);
    }, 10_000);
    expect((await webhookOf(id)).probe_at).toBeNull();
    expect(webhookReceiver.maxOpenRequests).toBeLessThanOrEqual(10);
  });
});

describe('an open circuit breaker whose deliveries have had their attempts', () => {
  it.each([
    ['wait for a later one', `next_attempt_at = next_attempt_at + interval '3 hours'`],
    ['have failed', `state = 'failed', next_attempt_at = NULL, finished_at = now()`],
  ])('sends a probe from the backlog if they %s', async (_, change) => {
    const fixture = await WebhookFixture.start();
    const webhookReceiver = await WebhookReceiver.start(respondWithStatus(500));
    const ada = fixture.subscriber;
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    const query = <Row>(sql: string) => queryDatabase<Row>(fixture.service, sql, [id]);
    const readQueue = async () => {
      const [queue] = await query<{ owner: string | null; probeAt: Date | null; events: number; version: string }>(
        `SELECT owner, probe_at AS "probeAt", backlog_events AS events, version
           FROM webhook_endpoint_queues WHERE webhook_id = $1`,
      );
      return queue!;
    };
    expectStatus(await ada.postAction(id, 'pause'), 200);
    for (let n = 0; n < 30; n++) await ada.triggerEvent();
    expectStatus(await ada.postAction(id, 'resume'), 200);
    await waitFor(async () => expect(await readQueue()).toMatchObject({ owner: null, probeAt: expect.any(Date) }));
    await query(`UPDATE webhook_deliveries SET ${change} WHERE webhook_id = $1 AND state = 'pending'`);
    const [before, { events }] = [webhookReceiver.received.length, await readQueue()];
    expect(events).toBeGreaterThan(0);
    fixture.service.advanceClock(61 * SECOND);
    await webhookReceiver.waitForRequests(before + 1);
    await waitFor(async () => expect((await readQueue()).owner).toBeNull());
    expect(webhookReceiver.received).toHaveLength(before + 1);
    webhookReceiver.handler = acceptRequest;
    fixture.service.advanceClock(61 * SECOND);
    await waitFor(async () => expect(await readQueue()).toMatchObject({ probeAt: null, events: 0 }));
    await webhookReceiver.stop();
    await fixture.stop();
  });
});

describe('the operator’s schedule', () => {
  it('replaces the default waits and has jitter', async () => {
    const fixture = await WebhookFixture.start({ WEBHOOK_RETRY_SCHEDULE: '0, 100' });
    const webhookReceiver = await WebhookReceiver.start(respondWithStatus(500));
    const ada = fixture.subscriber;
    const { id } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(1);
    const [delivery] = await waitFor(async () => {
      const all = await ada.listDeliveries(id);
      expect(all[0]?.attempts).toBe(1);
      return all;
    });
    expect(delivery.nextAttemptAt - delivery.createdAt).toBeGreaterThanOrEqual(100 * SECOND);
    fixture.service.advanceClock(121 * SECOND);
    await waitFor(async () => {
      expect(await ada.listDeliveries(id)).toMatchObject([{ state: 'failed', attempts: 2 }]);
    });
    await webhookReceiver.stop();
    await fixture.stop();
  });
});
