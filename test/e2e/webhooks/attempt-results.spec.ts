import { MINUTE } from '../../../src/common/clock';
import { AttemptResultWriter } from '../../../src/modules/webhooks/dispatch/attempt-result-writer';
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

  it('are written once when a result is repeated after a lost commit acknowledgement', async () => {
    const { id } = await fixture.subscriber.createWebhook(webhookReceiver.url, ['session.created']);
    expectStatus(await fixture.subscriber.postAction(id, 'pause'), 200);
    await fixture.subscriber.triggerEvent();
    const delivery = await deliveryOf(id);
    const at = new Date();
    const completedAttempt = {
      fencingToken: (await queueOf(id)).lease,
      outcome: {
        id: delivery.id,
        webhookId: id,
        state: 'pending' as const,
        attempts: 1,
        lastStatus: 500,
        nextAttemptAt: new Date(at.getTime() + MINUTE),
        finishedAt: null,
      },
      endedAt: at,
      exchange: {
        status: 500,
        error: null,
        response: '',
        retryAfter: null,
        sentAt: at.getTime(),
        durationMs: 1,
      },
      validUntil: Infinity,
    };
    const attemptResultWriter = fixture.service.app.get(AttemptResultWriter, { strict: false });
    expect(await attemptResultWriter.writeResult(completedAttempt)).toBe(true);
    expect(await attemptResultWriter.writeResult(completedAttempt)).toBe(true);
    expect(await queueOf(id)).toMatchObject({ failures: 1 });
    expect(await logOf(id)).toHaveLength(1);
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts: 1, last_status: 500 });
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

    await setSecret(secret);
    fixture.service.advanceClock(10 * MINUTE);
    await waitFor(async () => expect(await deliveryOf(id)).toMatchObject({ state: 'delivered', attempts: 1 }));
    expect(webhookReceiver.received).toHaveLength(1);
  });
});
