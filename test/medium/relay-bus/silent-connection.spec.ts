import { setTimeout as sleep } from 'node:timers/promises';
import { generateId } from '../../../src/common/ids';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { leaseRedis, REDIS_URL } from '../../support/backend';
import { itTogether } from '../../support/it-together';
import { waitFor } from '../../support/wait-for';
import { describeWithServices } from '../../support/postgres';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { createTestRelayCall } from './test-relay-call';

/** Simulates a firewall that dropped the connection's state: the connection is open, but no data passes. */
describeWithServices('one of an instance’s two connections to Redis, fallen silent', () => {
  const ROLES: [string][] = [['holds the device'], ['has the caller']];
  itTogether(ROLES, 'is replaced on the instance that %s', async (role) => {
    const { url, release } = await leaseRedis();
    const path = await TcpProxy.start(Number(new URL(REDIS_URL).port || 6379));
    const silenced = new URL(url);
    silenced.host = `127.0.0.1:${path.port}`;
    const harnesses = await Promise.all([
      // Instances of all databases share the channels of their names.
      BusHarness.startRedis(silenced.href, `silenced ${role}`),
      BusHarness.startRedis(url, `other ${role}`),
    ]);
    const [holder, caller] = role === 'holds the device' ? harnesses : [harnesses[1], harnesses[0]];
    try {
      const { accountId, deviceId } = new FakeDeviceIdentity(generateId('acc'));
      const socket = await holder.connectDevice({ accountId, deviceId, deviceKind: 'machine' });
      const call = () => caller.bus.sendCall(createTestRelayCall(caller.bus, accountId, deviceId));
      expect(await call()).toMatchObject({ kind: 'answered' });
      expect(path.connectionCount).toBe(2);
      for (const connection of [0, 1]) {
        path.blockConnection(connection);
        await waitFor(async () => {
          const results = [await call(), await call(), await call()];
          expect(results.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'answered']);
        }, 15_000);
      }
      socket.close();
    } finally {
      await Promise.all(harnesses.map((harness) => harness.stop()));
      await path.cutConnections();
      await release();
    }
  });
});

describeWithServices('an instance that shuts down while calls are on their way to it', () => {
  it('refuses them before it leaves, so that their origins know that nothing ran', async () => {
    const { url, release } = await leaseRedis();
    const path = await TcpProxy.start(Number(new URL(REDIS_URL).port || 6379));
    const delayed = new URL(url);
    delayed.host = `127.0.0.1:${path.port}`;
    const [leaving, origin] = await Promise.all([
      BusHarness.startRedis(delayed.href, 'leaving'),
      BusHarness.startRedis(url, 'origin'),
    ]);
    try {
      const { accountId, deviceId } = new FakeDeviceIdentity(generateId('acc'));
      await leaving.connectDevice({ accountId, deviceId, deviceKind: 'machine' });
      // The subscription is the second connection: commands of the leaving instance still reach Redis.
      path.blockConnection(1);
      const outcomes = Array.from({ length: 5 }, () =>
        origin.bus.sendCall(createTestRelayCall(origin.bus, accountId, deviceId)),
      );
      await sleep(200);
      const stopped = leaving.stop();
      await sleep(200);
      await path.restoreTraffic();
      await stopped;
      for (const outcome of await Promise.all(outcomes)) {
        expect(outcome).toMatchObject({ kind: 'not_delivered', reason: 'no_online_device' });
      }
    } finally {
      await origin.stop();
      await path.cutConnections();
      await release();
    }
  });
});
