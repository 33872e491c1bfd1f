import { Redis } from 'ioredis';
import { buildLeaseKey, buildPresenceKey } from '../../../src/modules/relay/bus/redis/redis-keys';
import { defineRelayScripts } from '../../../src/modules/relay/bus/redis/scripts';
import { MINUTE } from '../../../src/common/clock';
import { generateId } from '../../../src/common/ids';
import { leaseRedis } from '../../support/backend';
import { describeWithServices } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';
import { BusHarness } from './bus-harness';

const DEVICE = 'dev_1';

describeWithServices('the presence of a device in Redis', () => {
  let redis: Redis;
  let harness: BusHarness;
  let release: () => Promise<void>;
  let presence: string;
  beforeAll(async () => {
    const lease = await leaseRedis();
    release = lease.release;
    redis = new Redis(lease.url);
    defineRelayScripts(redis);
    harness = await BusHarness.startRedis(lease.url, 'alive');
  });
  beforeEach(() => {
    presence = buildPresenceKey(redis, generateId('acc'));
  });
  afterAll(async () => {
    await harness?.stop();
    redis?.disconnect();
    await release?.();
  });

  const publish = (epoch: number, instance = 'alive') => {
    const entry = { instance, epoch, kind: 'machine', machineId: null, capabilities: ['machine.invoke'], signed: true };
    return redis.relayPublishPresence(presence, DEVICE, epoch, JSON.stringify(entry), instance, '{}');
  };
  const readEpoch = async () => {
    const entry = await redis.hget(presence, DEVICE);
    return entry === null ? null : (JSON.parse(entry) as { epoch: number }).epoch;
  };

  it('is removed only by the connection that it describes, not by the late removal of an older one', async () => {
    await publish(1);
    await publish(2);
    expect(await redis.relayRemovePresence(presence, DEVICE, 1, 'alive')).toBe(0);
    expect(await readEpoch()).toBe(2);
    expect(await redis.relayRemovePresence(presence, DEVICE, 2, 'another')).toBe(0);
    expect(await readEpoch()).toBe(2);
    expect(await redis.relayRemovePresence(presence, DEVICE, 2, 'alive')).toBe(1);
    expect(await readEpoch()).toBeNull();
  });

  it('is not replaced by the late write of an older connection, unless its instance is dead', async () => {
    expect(await publish(2)).toBe(1);
    expect(await publish(1)).toBe(0);
    expect(await readEpoch()).toBe(2);
    expect(await publish(4, 'dead')).toBe(1);
    expect(await publish(3)).toBe(1);
    expect(await readEpoch()).toBe(3);
  });

  it('of an instance with a lease is not removed as that of a dead one', async () => {
    await publish(1);
    expect(await redis.relayRemoveDeadPresence(presence, DEVICE, 1, 'alive')).toBe(0);
    await publish(2, 'dead');
    expect(await redis.relayRemoveDeadPresence(presence, DEVICE, 1, 'dead')).toBe(0);
    expect(await redis.relayRemoveDeadPresence(presence, DEVICE, 2, 'dead')).toBe(1);
  });

  it('routes a call only until the time at which its owner may start it', async () => {
    await publish(1);
    const [seconds] = await redis.time();
    const now = Number(seconds) * 1_000;
    const route = (acceptBy: number) =>
      redis.relayRouteCall(presence, DEVICE, 'machine.invoke', acceptBy, 1, '"type":"unknown"}');
    expect(await route(now - 1)).toEqual(['expired', 0]);
    expect(await route(now + MINUTE)).toEqual(['sent', 0, DEVICE, 'alive']);
  });

  it('stays routable, because its instance renews its lease before it expires', async () => {
    const lease = buildLeaseKey(redis, 'alive');
    const durationMs = await waitFor(async () => {
      const remainingMs = await redis.pttl(lease);
      expect(remainingMs).toBeGreaterThan(5_000);
      return remainingMs;
    }, 10_000);
    await redis.del(lease);
    // The renewal writes the lease again. It must come within the time of one lease.
    await waitFor(async () => expect(await redis.exists(lease)).toBe(1), durationMs);
  });
});
