import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../support/dependencies';
import { expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { TemporaryPostgres } from '../support/temporary-postgres';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';
import { WriteLoadGenerator } from './support/write-load-generator';

const BETWEEN_MS = 5_000;
const AWAY_MS = 1_000;
/** How many writes of each kind, and calls, must have been acknowledged. A busy machine needs longer for them. */
const ENOUGH = 50;

/**
 * Responses that docs/protocol/external-api.md#errors and docs/protocol/relay.md#failure-table allow while the database
 * restarts.
 */
const DOCUMENTED = [
  '503 service_unavailable not_delivered',
  '503 service_unavailable unknown',
  '503 relay_unavailable not_delivered',
  '502 device_disconnected unknown',
  '409 idempotency_in_progress',
];

describeWith('pg_ctl')('PostgreSQL, restarted and crashed under callers of two instances', () => {
  let postgres: TemporaryPostgres;
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  let webhookReceiver: WebhookReceiver;
  let load: WriteLoadGenerator;
  const subscribed: { mark: string; id: string; found: string[] }[] = [];

  beforeAll(async () => {
    postgres = await TemporaryPostgres.createCluster();
    cluster = await Cluster.start({ instances: 2, postgresUrl: postgres.url, env: LOOPBACK_WEBHOOKS_ENV });
    clusterFixture = await ClusterFixture.start(cluster);
    webhookReceiver = await WebhookReceiver.start();
    load = new WriteLoadGenerator(cluster, clusterFixture);
  }, 120_000);
  afterAll(async () => {
    await load?.stopWriters();
    clusterFixture?.close();
    await webhookReceiver?.stop();
    await cluster?.stop();
    await postgres?.removeCluster();
  });

  /** Creates a webhook with an idempotency key, counts it in the list, and deletes it. */
  const subscribing = (token: string) => async () => {
    const mark = randomUUID();
    const path = '/external/v1/webhooks';
    const body = { url: webhookReceiver.url, events: ['machine.online'], description: mark };
    const made = await load.callWithIdempotencyKey((http, headers) => http.post(path, token, body, { headers }));
    const list = await load.callWithIdempotencyKey((http, headers) => http.get(path, token, { headers }));
    const hooks: { id: string; description: string }[] = expectStatus(list, 200).data;
    const found = hooks.filter(({ description }) => description === mark).map(({ id }) => id);
    subscribed.push({ mark, id: expectStatus(made, 201).data.id, found });
    for (const id of found) await load.callWithIdempotencyKey((http) => http.delete(`${path}/${id}`, token));
  };

  const countSucceededCalls = () =>
    load.relayCalls.filter(({ isIdempotent, httpResponse }) => isIdempotent && httpResponse.status === 200).length;

  it('causes 503, and both instances recover by themselves', async () => {
    const { token } = await clusterFixture.ada.createToken(['webhooks:manage', 'machines:read']);
    const machines = await Promise.all(cluster.instances.map((instance) => clusterFixture.createMachine(instance)));
    await load.startWriters(machines, subscribing(token));
    for (const mode of ['fast', 'immediate'] as const) {
      await sleep(BETWEEN_MS);
      await postgres.stop(mode);
      await sleep(AWAY_MS);
      await postgres.start();
    }
    await sleep(BETWEEN_MS);
    await waitFor(() => {
      for (const ids of Object.values(load.written)) expect(ids.size).toBeGreaterThan(ENOUGH);
      expect(countSucceededCalls()).toBeGreaterThan(ENOUGH);
    }, 60_000);
    await load.stopWriters();

    expect(Object.keys(load.refusals).filter((way) => !DOCUMENTED.includes(way))).toEqual([]);
    expect(load.refusals[DOCUMENTED[0]!]).toBeGreaterThan(10);
    for (const { http, isRunning } of cluster.instances) {
      await waitFor(async () => expectStatus(await http.get('/health/ready'), 200), 10_000);
      expect(isRunning).toBe(true);
    }
  }, 120_000);

  it('keeps all acknowledged writes', async () => {
    const none = { messages: [], sessions: [], relay_calls: [] };
    await waitFor(async () => expect(await load.findLostIds()).toEqual(none), 10_000);
    expect(load.readCount).toBeGreaterThan(100);
  });

  it('runs no call twice, and none reported as not delivered', async () => {
    expect(load.findIncorrectCalls()).toEqual([]);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
    expect(subscribed.filter(({ id, found }) => found.join() !== id)).toEqual([]);
    expect(subscribed.length).toBeGreaterThan(3);
    clusterFixture.close();
    await expectNoLeaks(cluster, undefined, 10_000);
  });
});
