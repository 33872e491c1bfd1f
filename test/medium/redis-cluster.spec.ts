import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { checkRedisSettings, type ClusterClient, openRedisClient, type RedisClient } from '../../src/core/redis';
import { describeWithServices } from '../support/postgres';
import { RedisCluster } from '../support/redis-cluster';
import { waitFor } from '../support/wait-for';

describeWithServices('the client of a Redis Cluster', () => {
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

  it('fails a command with the error of the cluster when no node serves its slot', async () => {
    const slot = await redis.cluster('KEYSLOT', 'key');
    for (const node of cluster.nodes) await node.call('CLUSTER', 'DELSLOTS', slot).catch(() => undefined);
    await expect(redis.get('key')).rejects.toMatchObject({
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
});
