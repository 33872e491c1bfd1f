import { Redis } from 'ioredis';
import { generateId } from '../../../src/common/ids';
import { leaseRedis } from '../../support/backend';
import { waitFor } from '../../support/wait-for';
import { describeWithServices } from '../../support/postgres';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { createTestRelayCall } from './test-relay-call';

const CALL_COUNT = 40;

describeWithServices('a call to a device of another instance', () => {
  it.each([2, 6])('costs three commands of Redis with %d instances', async (count) => {
    const { url, release } = await leaseRedis();
    const names = Array.from({ length: count }, (_, n) => `instance-${n}`);
    const harnesses = await Promise.all(names.map((name) => BusHarness.startRedis(url, name)));
    const redis = new Redis(url);
    const monitor = await redis.monitor();
    try {
      const { accountId, deviceId } = new FakeDeviceIdentity(generateId('acc'));
      const socket = await harnesses[0]!.connectDevice({ accountId, deviceId, deviceKind: 'machine' });
      socket.setHandler(() => ({ ok: true, result: {} }));
      const ids: string[] = [];
      const commands: string[] = [];
      monitor.on('monitor', (_time: string, args: string[], source: string) => {
        // Commands inside a script are not round trips.
        if (source !== 'lua' && args.some((arg) => ids.some((id) => arg.includes(id)))) commands.push(args[0]!);
      });
      const { bus } = harnesses[1]!;
      // The first call may cross with the new connection and be signed again, so it does not count.
      expect(await bus.sendCall(createTestRelayCall(bus, accountId, deviceId))).toMatchObject({
        kind: 'answered',
      });
      // The command that reads the presence of the device names only the account.
      ids.push(accountId);
      for (let n = 0; n < CALL_COUNT; n++) {
        const call = createTestRelayCall(bus, accountId, deviceId);
        ids.push(call.request.requestId);
        expect(await bus.sendCall(call)).toMatchObject({ kind: 'answered' });
      }
      const counts = () =>
        ['eval', 'publish', 'hget'].map(
          (name) => commands.filter((each) => each.toLowerCase().startsWith(name)).length,
        );
      await waitFor(() =>
        expect([...counts(), commands.length]).toEqual([CALL_COUNT, CALL_COUNT, CALL_COUNT, 3 * CALL_COUNT]),
      );
      socket.close();
    } finally {
      monitor.disconnect();
      redis.disconnect();
      await Promise.all(harnesses.map((harness) => harness.stop()));
      await release();
    }
  });
});
