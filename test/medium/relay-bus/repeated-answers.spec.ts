import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { generateId } from '../../../src/common/ids';
import { buildPresenceKey, type PresenceEntry } from '../../../src/modules/relay-bus/redis/redis-keys';
import { leaseRedis } from '../../support/backend';
import { describeWithServices } from '../../support/postgres';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';
import { createTestRelayCall } from './test-relay-call';

/** An owner publishes its answer again if its connection broke before Redis confirmed the answer. */
describeWithServices('an answer that is published twice', () => {
  let redis: Redis;
  let listener: Redis;
  let harnesses: [caller: BusHarness, before: BusHarness, after: BusHarness];
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const { url, release } = await leaseRedis();
    redis = new Redis(url);
    listener = new Redis(url);
    harnesses = await Promise.all([
      BusHarness.startRedis(url, 'caller'),
      BusHarness.startRedis(url, 'before'),
      BusHarness.startRedis(url, 'after'),
    ]);
    stop = async () => {
      await Promise.all(harnesses.map((harness) => harness.stop()));
      listener.disconnect();
      redis.disconnect();
      await release();
    };
  });
  afterAll(() => stop());

  it('doesn’t end a later attempt of its call, which runs once on the reconnected device', async () => {
    const [caller, , after] = harnesses;
    const { accountId, deviceId } = new FakeDeviceIdentity(generateId('acc'));
    const socket = await after.connectDevice({ accountId, deviceId, deviceKind: 'machine' });
    socket.setHandler(() => sleep(700, { ok: true, result: { done: true } }));
    const entry = await redis.hget(buildPresenceKey(redis, accountId), deviceId);
    const moved = JSON.parse(entry!) as PresenceEntry;
    const stale = JSON.stringify({ ...moved, instance: 'before', epoch: moved.epoch - 1 });

    // Simulates a first attempt that was routed to the device's previous instance, whose refusal is repeated.
    const refusals: string[] = [];
    const repetitions: Promise<number>[] = [];
    await listener.subscribe('relay:to:before', 'relay:to:caller');
    listener.on('message', (channel, message: string) => {
      if (channel === 'relay:to:before' && message.includes(deviceId)) {
        void redis.hset(buildPresenceKey(redis, accountId), deviceId, entry!);
      }
      if (!message.includes('"reason":"gone"') || refusals.includes(message)) return;
      refusals.push(message);
      for (const afterMs of [50, 150, 400])
        repetitions.push(sleep(afterMs).then(() => redis.publish(channel, message)));
    });
    await redis.hset(buildPresenceKey(redis, accountId), deviceId, stale);
    const result = caller.bus.sendCall(createTestRelayCall(caller.bus, accountId, deviceId));
    expect(await result).toMatchObject({ kind: 'answered', answer: { result: { done: true } } });
    expect(refusals).not.toEqual([]);
    await listener.unsubscribe();
    await Promise.all(repetitions);
    expect(socket.requests).toHaveLength(1);
    socket.close();
  });
});
