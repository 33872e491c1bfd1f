import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { Cluster } from './support/cluster';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';
import { statuses, Traffic } from './support/traffic';

const RELAY = 3;
const AWAY = 'Redis is away: rate limits count per instance';
const BACK = 'Redis is back: rate limits are exact over all instances again';

describe('a cluster that loses Redis', () => {
  let cluster: Cluster;
  let scene: Scene;
  const me = () => cluster.http.get('/external/v1/me', scene.token);
  const logged = ({ log }: Instance, text: string) => log.filter(({ msg }) => msg === text).length;
  const everyInstance = async <T>(of: (instance: Instance) => T | Promise<T>) => Promise.all(cluster.instances.map(of));

  beforeAll(async () => {
    cluster = await Cluster.start({ redis: 'proxied', env: { RATE_LIMIT_RELAY: String(RELAY) } });
  });
  beforeEach(async () => {
    scene = await Scene.start(cluster);
  });
  afterEach(async () => {
    await cluster.redis.restore();
    scene.close();
    await cluster.balancedOver();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  /** Five relayed calls to each instance, one after the other; how many each let through. */
  function letThrough(account: Scene): Promise<number[]> {
    return everyInstance(async ({ http }) => {
      const path = '/external/v1/machines/mch_00000000000000000000000000/invoke';
      const found: number[] = [];
      for (let n = 0; n < RELAY + 2; n++) {
        found.push((await http.post(path, account.token, { command: 'x' })).status);
      }
      return found.filter((status) => status === 404).length;
    });
  }

  /** Every instance has tried again and found it. */
  async function backEverywhere(times: number): Promise<void> {
    await eventually(async () => {
      await everyInstance(({ http }) => http.get('/external/v1/me', scene.token));
      expect(await everyInstance((instance) => logged(instance, BACK))).toEqual([times, times, times]);
    }, 10_000);
  }

  const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

  it('goes on through the load balancer, counts on each instance, and is exact again when it is back', async () => {
    const traffic = new Traffic(me, 3);
    await cluster.redis.cut();
    await sleep(1_500);
    expect(await letThrough(scene)).toEqual([RELAY, RELAY, RELAY]);
    const ready = await everyInstance(async ({ http }) => (await http.get('/health/ready')).status);
    expect(ready).toEqual([503, 503, 503]);
    expect(await everyInstance((instance) => logged(instance, AWAY))).toEqual([1, 1, 1]);
    for (const count of await everyInstance((each) => each.metric('rate_limit_fallback_total'))) {
      expect(count).toBeGreaterThan(RELAY);
    }

    await cluster.redis.restore();
    await backEverywhere(1);
    expect(sum(await letThrough(await Scene.start(cluster)))).toBe(RELAY);
    const calls = await traffic.stop();
    expect(Object.keys(statuses(calls))).toEqual(['200']);
    expect(calls.length).toBeGreaterThan(200);
  });

  it('answers the first call within a second, and the next ones at once, while Redis is silent', async () => {
    const traffic = new Traffic(me, 3);
    const asked = performance.now();
    cluster.redis.blackhole();
    const first = await everyInstance(({ http }) => http.get('/external/v1/me', scene.token));
    expect(performance.now() - asked).toBeLessThan(1_000);
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    await sleep(2_000);
    expect(await letThrough(scene)).toEqual([RELAY, RELAY, RELAY]);
    const calls = await traffic.stop();
    expect(Object.keys(statuses(calls))).toEqual(['200']);
    // One call a second of each instance waits to see whether Redis is back.
    const waits = calls.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    expect(waits.at(-1)).toBeLessThan(1_500);
    expect(waits[Math.floor(waits.length * 0.9)]).toBeLessThan(200);

    await cluster.redis.restore();
    await backEverywhere(2);
    expect(sum(await letThrough(await Scene.start(cluster)))).toBe(RELAY);
  });

  it('leaves an instance out that alone has lost it', async () => {
    const [lonely, ...others] = cluster.instances;
    await lonely!.redisLink!.cut();
    await cluster.balancedOver(others);
    const fallbacks = () => Promise.all(others.map((each) => each.metric('rate_limit_fallback_total')));
    const before = await fallbacks();
    const [alone, ...together] = await letThrough(scene);
    expect([alone, sum(together)]).toEqual([RELAY, RELAY]);
    expect(await fallbacks()).toEqual(before);
  });
});
