import { setTimeout as sleep } from 'node:timers/promises';
import { AccountDevice, ok } from '../support/device/foreign-device';
import { eventually } from '../support/eventually';
import { problem } from '../support/problems';
import { describeWithSmallDisks, SmallDisk } from '../support/small-disk';
import { ThrowAwayPostgres } from '../support/throw-away-postgres';
import { Cluster } from './support/cluster';
import { Scene } from './support/scene';
import { WritingLoad } from './support/writing-load';

const FULL_MS = 5_000;

/** As while the database is away (postgres-restarts.spec.ts): nothing else is a caller's to know. */
const DOCUMENTED = [
  '503 service_unavailable unknown',
  '503 relay_unavailable not_delivered',
  '502 device_disconnected unknown',
  '409 idempotency_in_progress',
];

describeWithSmallDisks('PostgreSQL on a disk that fills up', () => {
  let data: SmallDisk;
  let wal: SmallDisk;
  let postgres: ThrowAwayPostgres;
  let cluster: Cluster;
  let scene: Scene;
  let load: WritingLoad;

  beforeEach(async () => {
    [data, wal] = [SmallDisk.make(128), SmallDisk.make(128)];
    postgres = await ThrowAwayPostgres.create({ on: data.dir, wal: wal.dir });
    cluster = await Cluster.start({ instances: 2, postgresUrl: postgres.url });
    scene = await Scene.start(cluster);
    load = new WritingLoad(cluster, scene);
    await load.start(await Promise.all(cluster.instances.map((instance) => scene.machine(instance))));
    await sleep(1_000);
  }, 120_000);
  afterEach(async () => {
    await load?.stop();
    scene?.close();
    await cluster?.stop();
    await postgres?.remove();
    for (const disk of [data, wal]) disk?.remove();
  });

  /** Both write again by themselves, and nothing came of it that should not have. */
  async function expectRecovered(): Promise<void> {
    for (const { http } of cluster.instances) {
      await eventually(async () => ok(await http.get('/health/ready'), 200), 20_000);
      await eventually(() => AccountDevice.signUp(http), 20_000);
    }
    await load.stop();
    expect(Object.keys(load.refusals).filter((way) => !DOCUMENTED.includes(way))).toEqual([]);
    const none = { messages: [], sessions: [], relay_calls: [] };
    await eventually(async () => expect(await load.lost()).toEqual(none), 10_000);
    for (const ids of Object.values(load.written)) expect(ids.size).toBeGreaterThan(0);
    expect(load.misdeeds()).toEqual([]);
  }

  const refused = () => load.refusals[DOCUMENTED[0]!] ?? 0;

  it('refuses what has no room with 503, reads and relays on, and writes again once there is room', async () => {
    data.fill();
    await eventually(() => expect(refused()).toBeGreaterThan(10), 20_000);
    const before = { reads: load.reads, answered: load.answered };
    await sleep(FULL_MS);
    expect(load.reads - before.reads).toBeGreaterThan(20);
    expect(load.answered - before.answered).toBeGreaterThan(20);
    for (const { http } of cluster.instances) ok(await http.get('/health/ready'), 200);
    data.makeRoom();
    await expectRecovered();
  }, 120_000);

  it('answers 503 to reads too when its log has no room and it crashes, and goes on when it runs again', async () => {
    wal.fill();
    // Else it would go on until its present segment is full.
    await cluster.database.query('SELECT pg_switch_wal()').catch(() => undefined);
    for (const { http } of cluster.instances) {
      await eventually(async () => {
        problem(await http.get('/v1/devices', scene.ada.token), 503, 'service_unavailable');
      }, 20_000);
    }
    await sleep(FULL_MS);
    wal.makeRoom();
    await postgres.start();
    await expectRecovered();
  }, 120_000);
});
