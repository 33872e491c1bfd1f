import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describeWith } from '../support/dependencies';
import { DeviceSocket } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../support/device/foreign-device';
import { TemporaryPostgres } from '../support/temporary-postgres';
import { Cluster } from './support/cluster';

const INSTANCES = 4;
const COUNTED_MS = 6_000;
/** Age up to which instances use the snapshot of another one. */
const MAX_AGE_MS = 300;
const CLOSE_WITHIN_MS = 3_000;
const SNAPSHOT_KEY = 'relay:revocations';
const FORGED_SNAPSHOT = JSON.stringify({
  deviceIds: [],
  suspendedAccountIds: [],
  signedOutAccountIds: [],
  windowMs: 1e9,
});

describeWith('pg_ctl')('revocations that instances read together', () => {
  let postgres: TemporaryPostgres;
  let cluster: Cluster;
  let ada: ForeignAccountDevice;
  let redis: Redis;
  beforeAll(async () => {
    postgres = await TemporaryPostgres.createCluster({ settings: ['log_statement=all'] });
    cluster = await Cluster.start({ instances: INSTANCES, postgresUrl: postgres.url });
    ada = await ForeignAccountDevice.signUp(cluster.http);
    redis = new Redis(cluster.redis.url);
  }, 120_000);
  afterAll(async () => {
    redis?.disconnect();
    await cluster?.stop();
    await postgres?.removeCluster();
  });

  /** Connects a device to each instance. */
  async function connectDevices(): Promise<{ device: ForeignDevice; socket: DeviceSocket }[]> {
    return Promise.all(
      cluster.instances.map(async ({ url }) => {
        const device = await ada.pairDevice('machine');
        return { device, socket: await DeviceSocket.connect(url, device.token, []) };
      }),
    );
  }

  const revokeAll = (connected: { device: ForeignDevice }[]) =>
    Promise.all(
      connected.map(async ({ device }) =>
        expectStatus(await cluster.http.delete(`/v1/devices/${device.id}`, ada.token), 204),
      ),
    );

  /**
   * Revokes the devices and waits until their sockets are closed. A second is promised. The rest is for this process
   * and the others of the test, which may be slow to see it.
   */
  const expectCloseAfterRevocation = async (connected: { device: ForeignDevice; socket: DeviceSocket }[]) => {
    await revokeAll(connected);
    const closed = Promise.all(connected.map(({ socket }) => socket.disconnected)).then(() => 'closed');
    expect(await Promise.race([closed, sleep(CLOSE_WITHIN_MS, 'open', { ref: false })])).toBe('closed');
  };

  const countReads = () => readFileSync(postgres.logPath, 'utf8').split('FROM device_revocations').length - 1;

  it('are read as often as by a single instance, and close sockets on all of them', async () => {
    const connected = await connectDevices();
    await sleep(1_000);
    const [before, startedAt] = [countReads(), performance.now()];
    await sleep(COUNTED_MS);
    const readCount = countReads() - before;
    const elapsedMs = performance.now() - startedAt;
    expect(readCount).toBeGreaterThan(0);
    // A process that was held up reads once itself.
    expect(readCount).toBeLessThanOrEqual(elapsedMs / MAX_AGE_MS + INSTANCES);
    await expectCloseAfterRevocation(connected);
  });

  it('take effect while somebody replaces the snapshot in Redis', async () => {
    const connected = await connectDevices();
    let isForging = true;
    const forging = (async () => {
      while (isForging) {
        const snapshot = FORGED_SNAPSHOT.replace('{', `{"readAt":${Date.now()},`);
        await redis.set(SNAPSHOT_KEY, 'x'.repeat(43) + snapshot);
        await sleep(1);
      }
    })();
    await expectCloseAfterRevocation(connected);
    isForging = false;
    await forging;
    await redis.del(SNAPSHOT_KEY);
  });

  it('take effect from a snapshot that was replayed long after it was read', async () => {
    const connected = await connectDevices();
    let snapshot: string | null = null;
    while (snapshot === null) snapshot = await redis.get(SNAPSHOT_KEY);
    // Longer than two clocks differ.
    await sleep(11_000);
    let isReplaying = true;
    const replaying = (async () => {
      while (isReplaying) {
        await redis.set(SNAPSHOT_KEY, snapshot);
        await sleep(1);
      }
    })();
    await expectCloseAfterRevocation(connected);
    isReplaying = false;
    await replaying;
    await redis.del(SNAPSHOT_KEY);
  });

  it('take effect while Redis doesn’t answer', async () => {
    const connected = await connectDevices();
    cluster.redis.process.suspendProcess();
    try {
      await expectCloseAfterRevocation(connected);
    } finally {
      cluster.redis.process.resumeProcess();
    }
  });
});
