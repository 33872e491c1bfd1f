import { describeWith } from '../support/dependencies';
import { PgBouncer } from '../support/pg-bouncer';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { waitFor } from '../support/wait-for';
import { Cluster, FAST_SHUTDOWN } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { expectNoLeaks } from './support/leaks';
import { WriteLoadGenerator } from './support/write-load-generator';

/** Connections to PostgreSQL: fewer than the pool of one instance has clients. */
const SERVER_CONNECTIONS = 4;

/** All connections, those of migrations included, go through PgBouncer. */
describeWith('pgbouncer')('instances behind PgBouncer in transaction mode', () => {
  let pgBouncer: PgBouncer;
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  let webhookReceiver: WebhookReceiver;
  beforeAll(async () => {
    pgBouncer = await PgBouncer.start(SERVER_CONNECTIONS);
    // The database is empty, so the instances also migrate it through PgBouncer, and wait for each other there.
    const env = { ...LOOPBACK_WEBHOOKS_ENV, ...FAST_SHUTDOWN };
    cluster = await Cluster.start({ instances: 2, postgresUrl: pgBouncer.url, env });
    clusterFixture = await ClusterFixture.start(cluster);
    webhookReceiver = await WebhookReceiver.start();
  }, 120_000);
  afterAll(async () => {
    clusterFixture?.close();
    await webhookReceiver?.stop();
    await cluster?.stop();
    await pgBouncer?.stop();
  });

  it('serve concurrent reads, writes and relayed calls without error, and store what they acknowledged', async () => {
    const machines = await Promise.all(cluster.instances.map((instance) => clusterFixture.createMachine(instance)));
    const load = new WriteLoadGenerator(cluster, clusterFixture);
    await load.startWriters(machines);
    await waitFor(() => {
      expect(load.answeredCallCount).toBeGreaterThan(100);
      expect(load.readCount).toBeGreaterThan(100);
      for (const ids of Object.values(load.written)) expect(ids.size).toBeGreaterThan(20);
    }, 60_000);
    await load.stopWriters();
    expect(load.refusals).toEqual({});
    await waitFor(async () => {
      expect(await load.findLostIds()).toEqual({ messages: [], sessions: [], relay_calls: [] });
    });
    expect(load.findIncorrectCalls()).toEqual([]);
    clusterFixture.close();
    await expectNoLeaks(cluster);
  }, 120_000);

  it('deliver events once, and give up locks when they restart', async () => {
    const { token } = await clusterFixture.ada.createToken(['webhooks:manage', 'sessions:read', 'machines:read']);
    const body = { url: webhookReceiver.url, events: ['machine.online'] };
    await cluster.http.post('/external/v1/webhooks', token, body);
    for (const instance of cluster.instances) {
      expect(await instance.restartProcess()).toMatchObject({ code: 0, stderr: '' });
      await cluster.waitUntilBalanced();
    }
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    await waitFor(() => expect(webhookReceiver.filterByType('machine.online')).toHaveLength(1), 15_000);
    expect(webhookReceiver.filterByType('machine.online')[0]!.body).toContain(machine.id);
  });
});
