import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import {
  checkRedisSettings,
  type ClusterClient,
  openRedisClient,
  pingAnyMaster,
  type RedisClient,
} from '../../src/core/redis';
import { describeWith } from '../support/dependencies';
import { MASTERS, RedisCluster } from '../support/redis-cluster';
import { waitFor } from '../support/wait-for';

describeWith('redis-server')('the client of a Redis Cluster', () => {
  let cluster: RedisCluster;
  let redis: RedisClient;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
    redis = openRedisClient(cluster.url);
    await once(redis, 'ready');
  }, 60_000);
  afterAll(async () => {
    redis?.disconnect();
    await cluster?.remove();
  });

  /** Opens a client that is connected to all masters. */
  async function connectToAllMasters(): Promise<ClusterClient> {
    await cluster.waitUntilHealthy();
    const connected = openRedisClient(cluster.url) as ClusterClient;
    await once(connected, 'ready');
    await Promise.all(connected.nodes('master').map((node) => node.ping()));
    return connected;
  }

  it('fails a command with the error of the cluster when no node serves its slot', async () => {
    const slot = await redis.cluster('KEYSLOT', 'unserved');
    for (const node of cluster.nodes) await node.call('CLUSTER', 'DELSLOTS', slot).catch(() => undefined);
    await expect(redis.get('unserved')).rejects.toMatchObject({
      name: 'ReplyError',
      message: expect.stringMatching(/^CLUSTERDOWN/),
    });
  });

  it('is loud about a single master that may evict keys', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const [, master] = await cluster.listMasters();
    await master!.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await checkRedisSettings(redis);
    expect(log.mock.calls).toEqual([
      [{ policy: 'allkeys-lru' }, 'Redis may evict keys, set maxmemory-policy to noeviction'],
    ]);
    log.mockRestore();
  });

  it('learns of the successor of a lost master without a command', async () => {
    const master = await cluster.findMaster('key');
    const connected = openRedisClient(cluster.url) as ClusterClient;
    await once(connected, 'ready');
    await connected.get('key');
    await master.kill();
    const successor = await waitFor(async () => {
      const found = await cluster.findMaster('key');
      expect(found.port).not.toBe(master.port);
      return found;
    }, 20_000);
    await waitFor(() => expect(connected.findMaster('key')).toBe(`127.0.0.1:${successor.port}`), 1_000);
    connected.disconnect();
    await cluster.startMissing();
  });

  it('learns of the successors of two masters, of which the second is lost while it looks for the first', async () => {
    const connected = await connectToAllMasters();
    const listKnown = () => [...new Set(connected.slots.map(([master]) => master))].sort();
    const listPorts = async () => (await cluster.listMasters()).map(({ port }) => port).sort();
    const [first, second] = await cluster.listMasters();
    await first!.kill();
    // The two others elect the first successor, which the client has not heard of yet.
    await waitFor(async () => expect(await listPorts()).toHaveLength(MASTERS), 20_000);
    await second!.kill();
    await waitFor(async () => expect(await listPorts()).toHaveLength(MASTERS), 20_000);
    const successors = (await listPorts()).map((port) => `127.0.0.1:${port}`);
    await waitFor(() => expect(listKnown()).toEqual(successors), 1_500);
    connected.disconnect();
    await cluster.startMissing();
  }, 60_000);

  it('reaches masters again that it has lost its connections to, before a command needs them', async () => {
    const connected = await connectToAllMasters();
    // Nodes tell of replicas only after a write.
    await connected.set('key', 'value');
    await waitFor(async () => {
      await connected.refreshSlots();
      expect(connected.nodes('slave').length).toBeGreaterThan(0);
    }, 10_000);
    const masters = connected.nodes('master');
    const lost = Promise.all(masters.map((node) => once(node, 'end')));
    for (const node of masters) node.disconnect();
    await lost;
    await pingAnyMaster(connected);
    connected.disconnect();
  });
});
