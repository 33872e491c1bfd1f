import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture, type ClusterMachine } from './support/cluster-fixture';

/** Longer than the ten seconds after which an instance without a heartbeat counts as dead. */
const AWAY_MS = 12_000;
/** Longer than the interval at which an instance looks for dead ones. */
const LATER_MS = 6_000;

describe('instances that lose PostgreSQL for a while, and reach it again one after the other', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;
  let machine: ClusterMachine;

  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, isDatabaseProxied: true });
    fixture = await ClusterFixture.start(cluster);
    machine = await fixture.createMachine(cluster.getInstance(1));
  }, 60_000);
  afterAll(async () => {
    fixture?.close();
    await cluster?.stop();
  });

  const restoreDatabase = async (index: number) => {
    const { databaseLink, http } = cluster.getInstance(index);
    await databaseLink!.restoreTraffic();
    await waitFor(async () => expectStatus(await http.get('/health/ready'), 200), 10_000);
  };
  const countInstances = async () => (await cluster.testDatabase.query('SELECT id FROM instances')).length;

  const isOnline = async () =>
    (await cluster.testDatabase.query<{ online: boolean }>('SELECT online FROM device_presence WHERE epoch > 0'))[0]
      ?.online;

  it('do not consider each other dead before each has had time for a heartbeat', async () => {
    await waitFor(async () => expect(await isOnline()).toBe(true));
    await Promise.all(cluster.instances.map(({ databaseLink }) => databaseLink!.cutConnections()));
    await sleep(AWAY_MS);
    await restoreDatabase(0);
    await sleep(LATER_MS);
    expect([await countInstances(), await isOnline()]).toEqual([2, true]);
    await restoreDatabase(1);
    expectStatus(await fixture.invokeMachine(machine.id, {}, {}, cluster.getInstance(0).http), 200);
    await sleep(LATER_MS);
    expect([await countInstances(), await isOnline()]).toEqual([2, true]);
  }, 60_000);

  it('consider an instance dead that sends no heartbeat afterwards', async () => {
    await cluster.getInstance(1).killProcess();
    await waitFor(async () => expect(await countInstances()).toBe(1), 40_000);
    expect(await isOnline()).toBe(false);
  }, 50_000);
});
