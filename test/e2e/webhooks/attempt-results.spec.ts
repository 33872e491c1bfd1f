import { MINUTE } from '../../../src/common/clock';
import {
  AttemptResultWriter,
  type CompletedAttempt,
} from '../../../src/modules/webhooks/dispatch/attempt-result-writer';
import { waitFor } from '../../support/wait-for';
import { expectStatus } from '../../support/device/foreign-device';
import { queryDatabase } from '../../support/database';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { WebhookFixture } from '../../support/webhooks/webhook-fixture';

describe('attempt results', () => {
  let fixture: WebhookFixture;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await WebhookFixture.start();
    webhookReceiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await webhookReceiver?.stop();
    await fixture?.stop();
  });

  const one = async (sql: string, id: string) => (await queryDatabase<any>(fixture.service, sql, [id]))[0];
  const queueOf = (id: string) =>
    one('SELECT lease, failures, last_delivery_at FROM webhook_endpoint_queues WHERE webhook_id = $1', id);
  const deliveryOf = (id: string) =>
    waitFor(async () => {
      const row = await one('SELECT * FROM webhook_deliveries WHERE webhook_id = $1', id);
      expect(row).toBeDefined();
      return row;
    });
  const logOf = (id: string) =>
    queryDatabase<any>(fixture.service, 'SELECT attempt, error FROM webhook_attempts WHERE webhook_id = $1', [id]);

  /** Creates a paused webhook with one delivery, and a result of its first attempt. */
  const createAttempt = async (status: number) => {
    const { id } = await fixture.subscriber.createWebhook(webhookReceiver.url, ['session.created']);
    expectStatus(await fixture.subscriber.postAction(id, 'pause'), 200);
    await fixture.subscriber.triggerEvent();
    const delivery = await deliveryOf(id);
    const at = new Date();
    const completedAttempt: CompletedAttempt = {
      fencingToken: (await queueOf(id)).lease,
      outcome: {
        id: delivery.id,
        webhookId: id,
        state: 'pending',
        attempts: 1,
        lastStatus: status,
        nextAttemptAt: new Date(at.getTime() + MINUTE),
        finishedAt: null,
      },
      url: webhookReceiver.url,
      endedAt: at,
      exchange: {
        status,
        error: null,
        response: '',
        responseHeaders: {},
        retryAfter: null,
        sentAt: at.getTime(),
        durationMs: 1,
      },
      validUntil: Infinity,
    };
    return { id, completedAttempt };
  };
  const writeResult = (completedAttempt: CompletedAttempt) =>
    fixture.service.app.get(AttemptResultWriter, { strict: false }).writeResult(completedAttempt);

  it('are written once when a result is repeated after a lost commit acknowledgement', async () => {
    const { id, completedAttempt } = await createAttempt(500);
    expect(await writeResult(completedAttempt)).toBe(true);
    expect(await writeResult(completedAttempt)).toBe(true);
    expect(await queueOf(id)).toMatchObject({ failures: 1 });
    expect(await logOf(id)).toHaveLength(1);
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts: 1, last_status: 500 });
  });

  it('end the delivery even if the log can’t be written', async () => {
    const { id, completedAttempt } = await createAttempt(200);
    const outcome = { ...completedAttempt.outcome, state: 'delivered' as const, nextAttemptAt: null };
    const execute = (sql: string) => queryDatabase(fixture.service, sql);
    await execute(`ALTER TABLE webhook_attempts ADD CONSTRAINT refusal CHECK (webhook_id <> '${id}') NOT VALID`);
    try {
      expect(await writeResult({ ...completedAttempt, outcome })).toBe(true);
    } finally {
      await execute('ALTER TABLE webhook_attempts DROP CONSTRAINT refusal');
    }
    expect(await logOf(id)).toEqual([]);
    expect(await deliveryOf(id)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('are rejected under a lease that another worker has taken over', async () => {
    const { id, completedAttempt } = await createAttempt(500);
    const fencingToken = String(Number(completedAttempt.fencingToken) - 1);
    expect(await writeResult({ ...completedAttempt, fencingToken })).toBe(false);
    expect(await queueOf(id)).toMatchObject({ failures: 0 });
    expect(await logOf(id)).toHaveLength(0);
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts: 0, last_status: null });
  });

  it('reset the consecutive failures of the endpoint by one success', async () => {
    const { id, completedAttempt } = await createAttempt(500);
    for (const attempts of [1, 2, 3]) {
      expect(await writeResult({ ...completedAttempt, outcome: { ...completedAttempt.outcome, attempts } })).toBe(true);
    }
    expect(await queueOf(id)).toMatchObject({ failures: 3 });
    const outcome = { ...completedAttempt.outcome, state: 'delivered' as const, attempts: 4, lastStatus: 204 };
    const exchange = { ...completedAttempt.exchange!, status: 204 };
    expect(await writeResult({ ...completedAttempt, outcome, exchange })).toBe(true);
    expect(await queueOf(id)).toMatchObject({ failures: 0 });
  });

  it('don’t count as failures of the endpoint while its secret is not readable, and the delivery waits', async () => {
    const { id } = await fixture.subscriber.createWebhook(webhookReceiver.url, ['session.created']);
    const { secret } = await one('SELECT secret FROM webhooks WHERE id = $1', id);
    const setSecret = (value: Buffer) =>
      queryDatabase(fixture.service, 'UPDATE webhooks SET secret = $2 WHERE id = $1', [id, value]);
    await setSecret(Buffer.alloc(64));
    await fixture.subscriber.triggerEvent();
    await waitFor(async () => expect(await logOf(id)).toEqual([{ attempt: 0, error: 'secret_unreadable' }]));
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts: 0, last_status: null });
    expect(await queueOf(id)).toMatchObject({ failures: 0, last_delivery_at: null });
    const { at } = await one('SELECT at FROM webhook_attempts WHERE webhook_id = $1', id);
    expect((await deliveryOf(id)).next_attempt_at.getTime() - at.getTime()).toBe(10 * MINUTE);

    await setSecret(secret);
    fixture.service.advanceClock(10 * MINUTE);
    await waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ state: 'delivered', attempts: 1 }));
    expect(webhookReceiver.received).toHaveLength(1);
  });
});
