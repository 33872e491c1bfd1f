import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';
import { insertWebhookDeliveries } from '../../support/webhooks/webhook-rows';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber } from '../../support/webhooks/webhook-fixture';
import { Cluster, FAST_SHUTDOWN } from '../support/cluster';

/** A queue is leased for three times as long. */
const ATTEMPT_TIMEOUT_SECONDS = 4;
const LEASED_QUEUES_METRIC = 'webhook_leased_endpoint_queues';

describe('leases of endpoint queues over three instances', () => {
  let cluster: Cluster;
  const receivers: WebhookReceiver[] = [];
  /** Starts a receiver that responds after this time. */
  const startSlowReceiver = async (responseMs: number) => {
    const started = await WebhookReceiver.start((_, response) => {
      setTimeout(() => response.writeHead(204).end(), responseMs);
    });
    receivers.push(started);
    return started;
  };
  beforeAll(async () => {
    const env = {
      ...LOOPBACK_WEBHOOKS_ENV,
      ...FAST_SHUTDOWN,
      WEBHOOK_TIMEOUT_SECONDS: String(ATTEMPT_TIMEOUT_SECONDS),
    };
    cluster = await Cluster.start({ env, isDatabaseProxied: true });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(receivers.map((each) => each.stop()));
    await cluster?.stop();
  }, 120_000);

  /** Returns the instance that leases the only endpoint queue with due deliveries. */
  const findOwner = async () => {
    const counts = await Promise.all(cluster.instances.map((instance) => instance.sumMetric(LEASED_QUEUES_METRIC)));
    expect(counts.filter((count) => count > 0)).toEqual([1]);
    return cluster.getInstance(counts.indexOf(1));
  };

  it('are released after an outage of the database if their instance has no worker for them', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const receiver = await startSlowReceiver(0);
    const { id } = await ada.createWebhook(receiver.url, ['session.created']);
    // As if the database had failed between the commit of the lease and its response.
    const leased = await cluster.testDatabase.query(
      `UPDATE webhook_endpoint_queues SET leased_until = now() + interval '1 hour',
              owner = (SELECT id FROM instances ORDER BY seen_at DESC LIMIT 1) WHERE webhook_id = $1 RETURNING 1`,
      [id],
    );
    expect(leased).toHaveLength(1);
    await insertWebhookDeliveries(cluster.testDatabase, id, 10);
    const links = cluster.instances.map(({ databaseLink }) => databaseLink!);
    await Promise.all(links.map((link) => link.cutConnections()));
    await sleep(2_000);
    expect(receiver.received).toEqual([]);
    await Promise.all(links.map((link) => link.restoreTraffic()));
    await receiver.waitForRequests(10, 20_000);
  }, 60_000);

  it('expire when their instance is killed, and another instance continues', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const slow = await startSlowReceiver(1_000);
    const { id } = await ada.createWebhook(slow.url, ['session.created']);
    await insertWebhookDeliveries(cluster.testDatabase, id, 100);
    await slow.waitForRequests(5);
    const owner = await findOwner();
    await owner.killProcess();
    try {
      await waitFor(async () => {
        const [left] = await cluster.testDatabase.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM webhook_deliveries WHERE webhook_id = $1 AND state <> 'delivered'`,
          [id],
        );
        expect(left!.count).toBe(0);
      }, 60_000);
    } finally {
      await owner.start();
    }
    expect(new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
  }, 180_000);

  it('delay no hand-over of devices on SIGTERM while an attempt is in flight', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const order: string[] = [];
    const silent = await WebhookReceiver.start((_, response) => {
      response.once('close', () => order.push('attempt ended'));
    });
    receivers.push(silent);
    const { id } = await ada.createWebhook(silent.url, ['session.created']);
    await insertWebhookDeliveries(cluster.testDatabase, id, 1);
    await silent.waitForRequests(1);
    const owner = await findOwner();
    const socket = await DeviceSocket.connect(owner.url, ada.device.token, []);
    socket.socket.once('relay:drain', () => {
      order.push('device asked to leave');
      socket.close();
    });
    expect(await owner.stopGracefully()).toMatchObject({ code: 0 });
    await owner.start();
    await waitFor(() => expect(order).toEqual(['device asked to leave', 'attempt ended']));
    expectStatus(await cluster.http.delete(`/external/v1/webhooks/${id}`, ada.token), 204);
  }, 180_000);

  it('are released within the shutdown time on SIGTERM, without repeated attempts', async () => {
    const ada = await Subscriber.signUp(cluster.http);
    const slow = await startSlowReceiver(500);
    const { id } = await ada.createWebhook(slow.url, ['session.created']);
    await insertWebhookDeliveries(cluster.testDatabase, id, 120);
    await slow.waitForRequests(5);
    expect(await (await findOwner()).stopGracefully()).toMatchObject({ code: 0 });
    await slow.waitForRequests(120, 60_000);
    await sleep(500);
    expect(slow.received).toHaveLength(120);
  }, 180_000);
});
