import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from '../../support/scale';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver, type ReceiverHandler } from '../../support/webhooks/webhook-receiver';
import { insertWebhookDeliveries } from '../../support/webhooks/webhook-rows';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber } from '../../support/webhooks/webhook-fixture';
import { Cluster } from '../support/cluster';

const DEAD_ENDPOINTS = 5;
const STUCK_DELIVERIES = scaled(100_000);
const neverRespond: ReceiverHandler = () => undefined;

describe('endpoint queues over three instances', () => {
  let cluster: Cluster;
  const receivers: WebhookReceiver[] = [];
  const receiver = async (receiverHandler?: ReceiverHandler) => {
    const started = await WebhookReceiver.start(receiverHandler);
    receivers.push(started);
    return started;
  };
  beforeAll(async () => {
    cluster = await Cluster.start({ env: LOOPBACK_WEBHOOKS_ENV });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(receivers.map((each) => each.stop()));
    await cluster?.stop();
  }, 120_000);

  it('have up to ten attempts in flight per endpoint, and ten when enough deliveries are due', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const busy = await receiver((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 15);
    });
    const { id } = await ada.createWebhook(busy.url, ['session.created']);
    await insertWebhookDeliveries(cluster.testDatabase, id, 2_000);
    // Events of all three instances make them check the endpoint queue.
    let done = false;
    const triggering = (async () => {
      for (let n = 0; !done; n++) {
        await ada.device.createSession(ada.device);
        await sleep(20);
      }
    })();
    await busy.waitForRequests(2_000, 60_000);
    done = true;
    await triggering;
    expect(busy.maxOpenRequests).toBe(10);
    const ids = busy.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  }, 120_000);

  it('of dead endpoints with many deliveries don’t delay others', async () => {
    const bob = await Subscriber.signUp(cluster.http);
    const dead: WebhookReceiver[] = [];
    for (let n = 0; n < DEAD_ENDPOINTS; n++) {
      const silent = await receiver(neverRespond);
      dead.push(silent);
      const { id } = await bob.createWebhook(silent.url, ['session.ended']);
      await insertWebhookDeliveries(cluster.testDatabase, id, STUCK_DELIVERIES / DEAD_ENDPOINTS);
    }
    await waitFor(() => expect(dead.every(({ maxOpenRequests: most }) => most === 10)).toBe(true), 15_000);

    const ada = await Subscriber.signUp(cluster.http);
    const healthy = await receiver();
    await ada.createWebhook(healthy.url, ['session.created']);
    for (let n = 0; n < 30; n++) await ada.triggerEvent();
    // Long before the first attempt to a dead endpoint times out, after twenty seconds.
    await healthy.waitForRequests(30, 10_000);
    expect(Math.max(...dead.map(({ maxOpenRequests: most }) => most))).toBe(10);
    // Results of delivered attempts are written a moment later.
    await waitFor(async () => {
      const [stuck] = await cluster.testDatabase.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM webhook_deliveries WHERE state = 'pending'`,
      );
      expect(stuck!.count).toBe(STUCK_DELIVERIES);
    });
  }, 120_000);
});
