import { MINUTE } from '../../../src/common/clock';
import { Finisher } from '../../../src/webhooks/engine/finisher';
import { eventually } from '../../support/eventually';
import { ok } from '../../support/device/foreign-device';
import { query } from '../../support/database';
import { Receiver } from '../../support/webhooks/receiver';
import { WebhookScene } from '../../support/webhooks/webhook-scene';

describe('how the end of a try is written', () => {
  let scene: WebhookScene;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start();
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await receiver?.stop();
    await scene?.stop();
  });

  const one = async (sql: string, id: string) => (await query<any>(scene.service, sql, [id]))[0];
  const laneOf = (id: string) =>
    one('SELECT lease, failures, last_delivery_at FROM webhook_lanes WHERE webhook_id = $1', id);
  const deliveryOf = (id: string) =>
    eventually(async () => {
      const row = await one('SELECT * FROM webhook_deliveries WHERE webhook_id = $1', id);
      expect(row).toBeDefined();
      return row;
    });
  const logOf = (id: string) =>
    query<any>(scene.service, 'SELECT attempt, error FROM webhook_attempts WHERE webhook_id = $1', [id]);

  it('is once, though it is repeated where the answer to a commit was lost', async () => {
    const { id } = await scene.subscriber.create(receiver.url, ['session.created']);
    ok(await scene.subscriber.act(id, 'pause'), 200);
    await scene.subscriber.happen();
    const delivery = await deliveryOf(id);
    const at = new Date();
    const finish = {
      lease: (await laneOf(id)).lease,
      outcome: {
        id: delivery.id,
        webhookId: id,
        state: 'pending' as const,
        attempts: 1,
        lastStatus: 500,
        nextAttemptAt: new Date(at.getTime() + MINUTE),
        finishedAt: null,
      },
      at,
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
    const finisher = scene.service.app.get(Finisher, { strict: false });
    expect(await finisher.finish(finish)).toBe(true);
    expect(await finisher.finish(finish)).toBe(true);
    expect(await laneOf(id)).toMatchObject({ failures: 1 });
    expect(await logOf(id)).toHaveLength(1);
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts: 1, last_status: 500 });
  });

  it('is no failure of the endpoint where its secret cannot be read, and the delivery waits', async () => {
    const { id } = await scene.subscriber.create(receiver.url, ['session.created']);
    const { secret } = await one('SELECT secret FROM webhooks WHERE id = $1', id);
    const setSecret = (value: Buffer) =>
      query(scene.service, 'UPDATE webhooks SET secret = $2 WHERE id = $1', [id, value]);
    await setSecret(Buffer.alloc(64));
    await scene.subscriber.happen();
    await eventually(async () => expect(await logOf(id)).toEqual([{ attempt: 0, error: 'secret_unreadable' }]));
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts: 0, last_status: null });
    expect(await laneOf(id)).toMatchObject({ failures: 0, last_delivery_at: null });

    await setSecret(secret);
    scene.service.advance(10 * MINUTE);
    await eventually(async () => expect(await deliveryOf(id)).toMatchObject({ state: 'delivered', attempts: 1 }));
    expect(receiver.received).toHaveLength(1);
  });
});
