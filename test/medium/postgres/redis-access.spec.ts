import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describeWith } from '../../support/dependencies';
import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres';
import { RedisCluster } from '../../support/redis-cluster';
import { RedisProcess } from '../../support/redis-process';
import { MACHINE_CAPABILITIES, RELAY_SCOPES } from '../../support/relay-test-client';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const PRODUCTION_PAGE = join(__dirname, '..', '..', '..', 'docs', 'production.md');
const USER = 'external-api';
const PASSWORD = 'the-password-of-the-test';

/** Returns the access rules of the documented user, without its password, and those that a cluster adds. */
function readDocumentedRules(): { rules: string[]; clusterRules: string[] } {
  const page = readFileSync(PRODUCTION_PAGE, 'utf8');
  const [, rules] = /ACL SETUSER external-api on '>…' ((?:[^\n]*\\\n)*[^\n]*)/.exec(page)!;
  const [, clusterRules] = /ACL SETUSER external-api (\+(?:[^\n]*\\\n)*[^\n]*)/.exec(page)!;
  const split = (text: string) => text.replaceAll('\\\n', ' ').replaceAll("'", '').trim().split(/\s+/);
  return { rules: split(rules!), clusterRules: split(clusterRules!) };
}

describeWith('PostgreSQL', 'redis-server')('the access of instances to Redis', () => {
  let testDatabase: TestDatabase;
  let redisProcess: RedisProcess;
  let redis: Redis;
  let running: ServiceProcess[];
  let logLines: string[];
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
  });
  beforeEach(async () => {
    running = [];
    logLines = [];
    redisProcess = await RedisProcess.start();
    redis = new Redis(redisProcess.url);
  });
  afterEach(async () => {
    await Promise.all(running.map((service) => service.stop('SIGKILL')));
    redis.disconnect();
    await redisProcess.removeProcess();
  });
  afterAll(() => testDatabase.dropDatabase());

  const launch = async (redisUrl = redisProcess.url) => {
    const env = { ...testDatabase.env, REDIS_URL: redisUrl };
    const service = await ServiceProcess.launchProcess(env, { onLine: (line) => void logLines.push(line) });
    running.push(service);
    return service;
  };
  const buildUrl = (password = PASSWORD) => redisProcess.url.replace('//', `//${USER}:${password}@`);
  const findLines = (message: string) =>
    logLines
      .map((line) => JSON.parse(line) as { level: number; msg: string; reason?: string; policy?: string })
      .filter(({ msg }) => msg === message);

  /** Relays calls between two instances until one of them has shut down. */
  const exercise = async (redisUrl: string) => {
    const [holder, caller] = [await launch(redisUrl), await launch(redisUrl)];
    await Promise.all(running.map((service) => service.waitUntilReady()));

    const ada = await ForeignAccountDevice.signUp(holder.http);
    const { token } = await ada.createToken(RELAY_SCOPES);
    const device = await ada.pairDevice('machine');
    const { data } = expectStatus(
      await holder.http.post('/v1/machines', device.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const url = `http://127.0.0.1:${holder.port}`;
    const socket = await DeviceSocket.connect(url, device.token, MACHINE_CAPABILITIES, echoRequest);
    const invoke = () => caller.http.post(`/external/v1/machines/${data.id}/invoke`, token, { command: 'true' });
    await waitFor(async () => expect((await invoke()).status).toBe(200));
    return async () => {
      socket.close();
      await waitFor(async () => expect((await invoke()).status).toBe(503));
      // Instances renew their leases and check those of others meanwhile.
      await running.pop()!.stop();
      expect(findLines('Redis settings not checked')).toEqual([]);
    };
  };

  /**
   * Expects that no user was denied anything, and that no command was unknown: Redis 7.0 has no CLIENT SETINFO, which
   * later releases would deny.
   */
  const expectNothingRefused = async (server: Redis) => {
    expect(await server.acl('LOG')).toEqual([]);
    expect(await server.info('errorstats')).not.toContain('errorstat_ERR');
  };

  it('needs no other commands, keys and channels than the documented ones', async () => {
    await redis.acl('SETUSER', USER, 'on', `>${PASSWORD}`, ...readDocumentedRules().rules);
    await redis.config('RESETSTAT');
    const finish = await exercise(buildUrl());
    await finish();
    await expectNothingRefused(redis);
  });

  it('needs no others than those documented for a cluster, also while a slot moves', async () => {
    const cluster = await RedisCluster.start();
    try {
      const { rules, clusterRules } = readDocumentedRules();
      for (const node of cluster.nodes) {
        await node.redis.acl('SETUSER', USER, 'on', `>${PASSWORD}`, ...rules);
        await node.redis.acl('SETUSER', USER, ...clusterRules);
        await node.redis.config('RESETSTAT');
      }
      const finish = await exercise(cluster.url.replace('//', `//${USER}:${PASSWORD}@`));
      for (const key of await cluster.listKeys()) await cluster.moveSlot(key, () => sleep(100));
      await finish();
      for (const node of cluster.nodes) await expectNothingRefused(node.redis);
      await Promise.all(running.splice(0).map((service) => service.stop()));
    } finally {
      await cluster.remove();
    }
  });

  it('starts without INFO, which some services refuse', async () => {
    await redis.acl('SETUSER', USER, 'on', `>${PASSWORD}`, '~*', '&*', '+@all', '-@dangerous');
    await (await launch(buildUrl())).waitUntilReady();
    await waitFor(() =>
      expect(findLines('Redis settings not checked')).toMatchObject([
        { level: 40, reason: expect.stringContaining('NOPERM') as unknown },
      ]),
    );
  });

  it('is logged with its reason when it fails, once for each reason', async () => {
    await redis.acl('SETUSER', USER, 'on', `>${PASSWORD}`, '~*', '&*', '+@all');
    await launch(buildUrl('wrong'));
    await waitFor(() => expect(findLines('listening')).toHaveLength(1), 30_000);
    const failures = findLines('Redis connection failed');
    expect(new Set(failures.map(({ reason }) => reason))).toContain(
      'WRONGPASS invalid username-password pair or user is disabled.',
    );
    expect(JSON.stringify(failures)).not.toContain(PASSWORD);
    // One line for each of the four connections, although each is retried twice a second.
    expect(failures.length).toBeLessThanOrEqual(8);
  });

  it('is loud about a Redis that may evict leases and presence', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await (await launch()).waitUntilReady();
    expect(findLines('Redis may evict keys, set maxmemory-policy to noeviction')).toMatchObject([
      { level: 50, policy: 'allkeys-lru' },
    ]);
  });
});
