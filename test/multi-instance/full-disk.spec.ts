import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { expectProblem } from '../support/problems';
import { describeWithSmallDisks, SmallDisk } from '../support/small-disk';
import { TemporaryPostgres } from '../support/temporary-postgres';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { WriteLoadGenerator } from './support/write-load-generator';

const FULL_MS = 5_000;

/** Allowed responses, the same as during a database outage (postgres-restarts.spec.ts). */
const DOCUMENTED = [
  '503 service_unavailable not_delivered',
  '503 service_unavailable unknown',
  '503 relay_unavailable not_delivered',
  '502 device_disconnected unknown',
  '409 idempotency_in_progress',
];

describeWithSmallDisks('pg_ctl')('PostgreSQL on a disk that fills up', () => {
  let data: SmallDisk;
  let wal: SmallDisk;
  let postgres: TemporaryPostgres;
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  let load: WriteLoadGenerator;

  beforeEach(async () => {
    [data, wal] = [SmallDisk.createDisk(128), SmallDisk.createDisk(128)];
    postgres = await TemporaryPostgres.createCluster({ on: data.dir, wal: wal.dir });
    cluster = await Cluster.start({ instances: 2, postgresUrl: postgres.url });
    clusterFixture = await ClusterFixture.start(cluster);
    load = new WriteLoadGenerator(cluster, clusterFixture);
    await load.startWriters(
      await Promise.all(cluster.instances.map((instance) => clusterFixture.createMachine(instance))),
    );
    await sleep(1_000);
  }, 120_000);
  afterEach(async () => {
    await load?.stopWriters();
    clusterFixture?.close();
    await cluster?.stop();
    await postgres?.removeCluster();
    for (const disk of [data, wal]) disk?.removeDisk();
  });

  /** Expects both instances to recover by themselves, without lost or unexpected writes. */
  async function expectRecovered(): Promise<void> {
    for (const { http } of cluster.instances) {
      await waitFor(async () => expectStatus(await http.get('/health/ready'), 200), 20_000);
      await waitFor(() => ForeignAccountDevice.signUp(http), 20_000);
    }
    await load.stopWriters();
    expect(Object.keys(load.refusals).filter((way) => !DOCUMENTED.includes(way))).toEqual([]);
    const none = { messages: [], sessions: [], relay_calls: [] };
    await waitFor(async () => expect(await load.findLostIds()).toEqual(none), 10_000);
    for (const ids of Object.values(load.written)) expect(ids.size).toBeGreaterThan(0);
    expect(load.findIncorrectCalls()).toEqual([]);
  }

  const refused = () => load.refusals['503 service_unavailable unknown'] ?? 0;

  it('returns 503 for writes without space, keeps reading and relaying, and recovers', async () => {
    data.fillDisk();
    await waitFor(() => expect(refused()).toBeGreaterThan(10), 20_000);
    const before = { reads: load.readCount, answered: load.answeredCallCount };
    await sleep(FULL_MS);
    expect(load.readCount - before.reads).toBeGreaterThan(20);
    expect(load.answeredCallCount - before.answered).toBeGreaterThan(20);
    for (const { http } of cluster.instances) expectStatus(await http.get('/health/ready'), 200);
    data.freeSpace();
    await expectRecovered();
  }, 120_000);

  it('returns 503 for reads too when it crashes without space for its log, and recovers after a restart', async () => {
    wal.fillDisk();
    // Otherwise writes would succeed until the current segment is full.
    await cluster.testDatabase.query('SELECT pg_switch_wal()').catch(() => undefined);
    for (const { http } of cluster.instances) {
      await waitFor(async () => {
        expectProblem(await http.get('/v1/devices', clusterFixture.ada.token), 503, 'service_unavailable');
      }, 20_000);
    }
    await sleep(FULL_MS);
    wal.freeSpace();
    await postgres.start();
    await expectRecovered();
  }, 120_000);
});
