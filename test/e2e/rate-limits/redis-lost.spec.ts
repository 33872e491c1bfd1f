import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../../support/dependencies';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { getServiceRedis } from '../../support/advance-time';
import { readMetric } from '../../support/metrics';
import { RedisProcess } from '../../support/redis-process';
import { Service } from '../../support/service';

const UNKNOWN_MACHINE = '/external/v1/machines/mch_00000000000000000000000000/invoke';

/** Tests of the embedded backend, which has no Redis. */
function withoutRedis(): void {
  it('counts in memory, so that a restart empties the buckets', async () => {
    let service = await Service.start({ RATE_LIMIT_RELAY: '2' });
    expect(getServiceRedis(service)).toBeNull();
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['machines:invoke']);
    const invoke = async () => (await service.http.post(UNKNOWN_MACHINE, token, { command: 'x' })).status;
    expect([await invoke(), await invoke(), await invoke()]).toEqual([404, 404, 429]);
    service = await service.restart();
    expect(await invoke()).toBe(404);
    await service.stop();
  });
}

function withRedis(): void {
  let redis: RedisProcess;
  let service: Service;
  let token: string;
  const fallbacks = () => readMetric(service, 'rate_limit_fallback_total');
  const logged = (text: string) => service.logs.filter((line) => line.includes(text)).length;
  const until = async (condition: () => boolean) => {
    for (let i = 0; i < 200 && !condition(); i++) await sleep(50);
  };
  /** Calls continuously until it is stopped. Returns every status and the longest wait. */
  const traffic = () => {
    let running = true;
    const statuses: number[] = [];
    let longest = 0;
    const done = (async () => {
      while (running) {
        const began = Date.now();
        statuses.push((await service.http.get('/external/v1/me', token)).status);
        longest = Math.max(longest, Date.now() - began);
      }
    })();
    return async () => {
      running = false;
      await done;
      return { statuses, longest };
    };
  };

  beforeAll(async () => {
    redis = await RedisProcess.start();
    service = await Service.start({
      REDIS_URL: redis.url,
      RATE_LIMIT_METADATA: '1000000',
      RATE_LIMIT_RELAY: '3',
    });
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:invoke']));
  });
  afterAll(async () => {
    await service?.stop();
    await redis?.killProcess();
  });

  it('keeps serving, reports the outage, and counts per instance until Redis is back', async () => {
    expect([await fallbacks(), await readMetric(service, 'redis_up')]).toEqual([0, 1]);
    const stop = traffic();
    await sleep(200);
    await redis.killProcess();
    await until(() => logged('rate limit store unavailable') > 0);
    await sleep(300);
    expect(logged('rate limit store unavailable')).toBe(1);
    expect(await fallbacks()).toBeGreaterThan(0);
    expect(await readMetric(service, 'redis_up')).toBe(0);

    const calls = [];
    for (let i = 0; i < 4; i++) calls.push(await service.http.post(UNKNOWN_MACHINE, token, { command: 'x' }));
    expect(calls.map((answer) => answer.status)).toEqual([404, 404, 404, 429]);
    expect(calls.map((answer) => answer.headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0']);

    await redis.restartEmpty();
    await until(() => logged('rate limit store available') > 0);
    expect(logged('rate limit store available')).toBe(1);
    const { statuses } = await stop();
    expect(new Set(statuses)).toEqual(new Set([200]));
    const before = await fallbacks();
    expect((await service.http.get('/external/v1/me', token)).status).toBe(200);
    expect(await fallbacks()).toBe(before);
    expect(await readMetric(service, 'redis_up')).toBe(1);
    expect(await getServiceRedis(service)!.keys('limit:metadata:*')).toHaveLength(1);
  });

  it('keeps serving without long waits while Redis hangs', async () => {
    const stop = traffic();
    const before = await fallbacks();
    redis.suspendProcess();
    await sleep(3_000);
    redis.resumeProcess();
    const { statuses, longest } = await stop();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(longest).toBeLessThan(2_500);
    expect(await fallbacks()).toBeGreaterThan(before);
  });
}

if (process.env.TEST_BACKEND === 'services') describeWith('redis-server')('a service that loses Redis', withRedis);
else describe('a service without Redis', withoutRedis);
