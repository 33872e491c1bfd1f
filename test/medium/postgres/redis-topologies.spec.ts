import { generateId } from '../../../src/common/ids';
import { describeWith } from '../../support/dependencies';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres';
import { RedisProcess } from '../../support/redis-process';
import { SentinelRedis } from '../../support/sentinel-redis';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';
import { BusHarness } from '../relay-bus/bus-harness';
import { FakeDeviceIdentity } from '../relay-bus/fake-device-identity';
import { createTestRelayCall } from '../relay-bus/test-relay-call';

describeWith('PostgreSQL', 'redis-server')('the Redis of several instances', () => {
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
  });
  afterAll(() => testDatabase.dropDatabase());

  it('is rejected with one message if it is a Cluster and the URL names one server', async () => {
    const cluster = await RedisProcess.start({ 'cluster-enabled': 'yes' });
    try {
      const { code, stderr } = await ServiceProcess.runUntilExit({ ...testDatabase.env, REDIS_URL: cluster.url });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'REDIS_URL points to a node of a Redis Cluster. Use redis+cluster://host:port,… instead.\n',
      });
    } finally {
      await cluster.removeProcess();
    }
  });

  it('can fail over with Sentinel, each with its own user, after which calls succeed on the new master', async () => {
    const sentinelRedis = await SentinelRedis.start();
    const { url } = sentinelRedis;
    const [holder, caller] = await Promise.all([
      BusHarness.startRedis(url, 'holder'),
      BusHarness.startRedis(url, 'caller'),
    ]);
    try {
      const device = new FakeDeviceIdentity(generateId('acc'));
      await holder.connectDevice(device);
      const call = () => caller.bus.sendCall(createTestRelayCall(caller.bus, device.accountId, device.deviceId));
      await waitFor(async () => expect(await call()).toMatchObject({ kind: 'answered' }), 15_000);
      await sentinelRedis.killMaster();
      await waitFor(async () => expect((await call()).kind).not.toBe('answered'));
      await waitFor(async () => expect(await call()).toMatchObject({ kind: 'answered' }), 30_000);
    } finally {
      await Promise.all([holder.stop(), caller.stop()]);
      await sentinelRedis.stop();
    }
  });
});
