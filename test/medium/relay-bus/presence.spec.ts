import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { generateId } from '../../../src/common/ids';
import type { DeviceConnection } from '../../../src/modules/relay-bus';
import { BusMetrics } from '../../../src/modules/relay-bus/redis/bus-metrics';
import { EnvelopeCodec } from '../../../src/modules/relay-bus/redis/envelope-codec';
import { PresenceCommands } from '../../../src/modules/relay-bus/redis/presence-commands';
import { RedisClock } from '../../../src/modules/relay-bus/redis/redis-clock';
import { RedisConnection } from '../../../src/modules/relay-bus/redis/redis-connection';
import { buildLeaseKey, buildPresenceKey } from '../../../src/modules/relay-bus/redis/redis-keys';
import { defineRelayScripts } from '../../../src/modules/relay-bus/redis/scripts';
import { leaseRedis } from '../../support/backend';
import { describeWithServices } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';
import { BusHarness, createBusTrust } from './bus-harness';

const DEVICE = 'dev_1';

describeWithServices('the presence of a device in Redis', () => {
  let redis: Redis;
  let harness: BusHarness;
  let release: () => Promise<void>;
  let connection: RedisConnection;
  let commands: PresenceCommands;
  let accountId: string;
  let presence: string;
  beforeAll(async () => {
    const lease = await leaseRedis();
    release = lease.release;
    redis = new Redis(lease.url);
    defineRelayScripts(redis);
    harness = await BusHarness.startRedis(lease.url, 'alive');
    const codec = new EnvelopeCodec('writer', createBusTrust('a key'), new RedisClock());
    connection = new RedisConnection(lease.url, codec, new BusMetrics(new Registry()));
    await connection.start({ onMessage: () => {}, onConnected: () => {}, onNodesChanged: () => {} });
    commands = new PresenceCommands(connection);
  });
  beforeEach(() => {
    accountId = generateId('acc');
    presence = buildPresenceKey(redis, accountId);
  });
  afterAll(async () => {
    connection?.stop();
    await harness?.stop();
    redis?.disconnect();
    await release?.();
  });

  const publish = (epoch: number, instance = 'alive', isSigned = true) => {
    const entry = { instance, epoch, kind: 'machine', machineId: null, capabilities: ['machine.invoke'] };
    const published = { device: { accountId, deviceId: DEVICE }, epoch } as DeviceConnection;
    return commands.publishPresence(published, JSON.stringify(isSigned ? { ...entry, signed: true } : entry), '{}');
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
    expect(await publish(2)).toBe(true);
    expect(await publish(1)).toBe(false);
    expect(await readEpoch()).toBe(2);
    expect(await publish(4, 'dead')).toBe(true);
    expect(await publish(3)).toBe(true);
    expect(await readEpoch()).toBe(3);
  });

  it('of an instance with a lease is not removed as that of a dead one', async () => {
    await publish(1);
    await commands.removeDeadPresence(accountId, DEVICE, 1, 'alive');
    expect(await readEpoch()).toBe(1);
    await publish(2, 'dead');
    await commands.removeDeadPresence(accountId, DEVICE, 1, 'dead');
    expect(await readEpoch()).toBe(2);
    await commands.removeDeadPresence(accountId, DEVICE, 2, 'dead');
    expect(await readEpoch()).toBeNull();
  });

  it('of a dead instance is removed when a call looks for the device', async () => {
    await publish(1, 'dead');
    expect(await commands.routeCall(accountId, DEVICE, 'machine.invoke', '"type":"unknown"}')).toEqual(['offline', 1]);
    expect(await readEpoch()).toBeNull();
    await publish(2);
    expect(await commands.routeCall(accountId, DEVICE, 'machine.invoke', '"type":"unknown"}')).toEqual([
      'sent',
      0,
      DEVICE,
      'alive',
    ]);
  });

  it('of the previous release gets no call, and is removed only if its instance is dead', async () => {
    const route = () => commands.routeCall(accountId, DEVICE, 'machine.invoke', '"type":"unknown"}');
    await publish(1, 'alive', false);
    expect(await route()).toEqual(['unreachable', 0]);
    await publish(2, 'dead', false);
    expect(await route()).toEqual(['offline', 1]);
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
