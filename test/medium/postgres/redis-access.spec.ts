import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { createMigratedDatabase, describeWithServices, type TestDatabase } from '../../support/postgres';
import { RedisProcess } from '../../support/redis-process';
import { MACHINE_CAPABILITIES, RELAY_SCOPES } from '../../support/relay-test-client';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const PRODUCTION_PAGE = join(__dirname, '..', '..', '..', 'docs', 'production.md');
const USER = 'external-api';
const PASSWORD = 'the-password-of-the-test';

/** Returns the access rules of the documented user, without its password. */
function readDocumentedRules(): string[] {
  const page = readFileSync(PRODUCTION_PAGE, 'utf8');
  const [, rules] = /ACL SETUSER external-api on '>…' ((?:[^\n]*\\\n)*[^\n]*)/.exec(page)!;
  return rules!.replaceAll('\\\n', ' ').replaceAll("'", '').trim().split(/\s+/);
}

describeWithServices('the access of instances to Redis', () => {
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

  it('needs no other commands, keys and channels than the documented ones', async () => {
    await redis.acl('SETUSER', USER, 'on', `>${PASSWORD}`, ...readDocumentedRules());
    const [holder, caller] = [await launch(buildUrl()), await launch(buildUrl())];
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
    socket.close();
    await waitFor(async () => expect((await invoke()).status).toBe(503));
    // Instances renew their leases and check those of others meanwhile.
    await running.pop()!.stop();

    expect(await redis.acl('LOG')).toEqual([]);
    expect(findLines('Redis settings not checked')).toEqual([]);
  });

  it('starts without INFO, which some services refuse', async () => {
    await redis.acl('SETUSER', USER, 'on', `>${PASSWORD}`, '~*', '&*', '+@all', '-@dangerous');
    await (await launch(buildUrl())).waitUntilReady();
    expect(findLines('Redis settings not checked')).toMatchObject([{ level: 40, reason: /NOPERM/ }]);
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
