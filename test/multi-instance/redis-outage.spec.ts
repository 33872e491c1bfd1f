import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

const CALLERS = 3;
const RELAY = 3;
const AWAY = 'rate limit store unavailable; counting per instance';
const BACK = 'rate limit store available; counting across instances';

describe('a cluster that loses Redis', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  const me = () => cluster.http.get('/external/v1/me', clusterFixture.token);
  const logged = ({ log }: Instance, text: string) => log.filter(({ msg }) => msg === text).length;
  const everyInstance = async <T>(of: (instance: Instance) => T | Promise<T>) => Promise.all(cluster.instances.map(of));

  beforeAll(async () => {
    cluster = await Cluster.start({ redis: 'proxied', env: { RATE_LIMIT_RELAY: String(RELAY) } });
  });
  beforeEach(async () => {
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    await cluster.redis.restoreConnections();
    clusterFixture.close();
    await cluster.waitUntilBalanced();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  /** Makes five sequential relayed calls to each instance. Returns the number of successful calls per instance. */
  function letThrough(account: ClusterFixture): Promise<number[]> {
    return everyInstance(async ({ http }) => {
      const path = '/external/v1/machines/mch_00000000000000000000000000/invoke';
      const found: number[] = [];
      for (let n = 0; n < RELAY + 2; n++) {
        found.push((await http.post(path, account.token, { command: 'x' })).status);
      }
      return found.filter((status) => status === 404).length;
    });
  }

  /** Waits until every instance has reconnected to Redis. */
  async function backEverywhere(times: number): Promise<void> {
    await waitFor(async () => {
      await everyInstance(({ http }) => http.get('/external/v1/me', clusterFixture.token));
      expect(await everyInstance((instance) => logged(instance, BACK))).toEqual([times, times, times]);
    }, 10_000);
  }

  const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

  it('keeps serving, counts per instance, and is exact again after the outage', async () => {
    const trafficGenerator = new TrafficGenerator(me, CALLERS);
    await cluster.redis.cutConnections();
    await sleep(1_500);
    await trafficGenerator.waitForCalls(50);
    expect(await letThrough(clusterFixture)).toEqual([RELAY, RELAY, RELAY]);
    // An instance without Redis still serves, so a load balancer without a fallback must not take it out.
    const ready = await everyInstance(
      async ({ http }) => expectStatus(await http.get('/health/ready'), 200).details.redis,
    );
    expect(ready).toEqual(Array(3).fill({ status: 'down' }));
    const headers = { 'X-Require-Redis': 'true' };
    const strict = await everyInstance(
      async ({ http }) => (await http.get('/health/ready', undefined, { headers })).status,
    );
    expect(strict).toEqual([503, 503, 503]);
    expect(await everyInstance((instance) => logged(instance, AWAY))).toEqual([1, 1, 1]);
    for (const count of await everyInstance((each) => each.sumMetric('rate_limit_fallback_total'))) {
      expect(count).toBeGreaterThan(RELAY);
    }

    await cluster.redis.restoreConnections();
    await backEverywhere(1);
    expect(sum(await letThrough(await ClusterFixture.start(cluster)))).toBe(RELAY);
    const calls = await trafficGenerator.stopCallers();
    expect(Object.keys(countStatuses(calls))).toEqual(['200']);
  });

  it('responds to the first call within a second, and to the next ones at once, while Redis is silent', async () => {
    const trafficGenerator = new TrafficGenerator(me, CALLERS);
    const asked = performance.now();
    cluster.redis.blockConnections();
    const first = await everyInstance(({ http }) => http.get('/external/v1/me', clusterFixture.token));
    expect(performance.now() - asked).toBeLessThan(1_000);
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    await sleep(2_000);
    expect(await letThrough(clusterFixture)).toEqual([RELAY, RELAY, RELAY]);
    const checked = performance.now();
    for (const { http } of cluster.instances) expectStatus(await http.get('/health/ready'), 200);
    // HAProxy waits for two seconds for each check, other load balancers for one.
    expect(performance.now() - checked).toBeLessThan(3 * 1_000);
    const calls = await trafficGenerator.stopCallers();
    expect(Object.keys(countStatuses(calls))).toEqual(['200']);
    expect(Math.max(...calls.map(({ tookMs }) => tookMs))).toBeLessThan(1_500);
    // All callers wait at first. After that, one call of each instance checks once per second whether Redis is back.
    const checks = cluster.instances.length * Math.ceil((performance.now() - asked) / 1_000);
    const slow = calls.filter(({ tookMs }) => tookMs > 200);
    expect(slow.length).toBeLessThanOrEqual(CALLERS + checks);

    await cluster.redis.restoreConnections();
    await backEverywhere(2);
    expect(sum(await letThrough(await ClusterFixture.start(cluster)))).toBe(RELAY);
  });

  it('measures on each instance how long Redis takes to answer', async () => {
    const count = (instance: Instance, le: string) => instance.sumMetric('redis_round_trip_seconds_bucket', { le });
    const countSlow = async (instance: Instance) => (await count(instance, '+Inf')) - (await count(instance, '0.25'));
    await waitFor(async () => {
      for (const fast of await everyInstance((each) => count(each, '0.1'))) expect(fast).toBeGreaterThan(0);
    });
    const before = await everyInstance(countSlow);
    cluster.redis.process.suspendProcess();
    // Each instance sends a PING within the first of these seconds.
    await sleep(1_500);
    cluster.redis.process.resumeProcess();
    await waitFor(async () => {
      const after = await everyInstance(countSlow);
      for (const [n, slow] of after.entries()) expect(slow).toBeGreaterThan(before[n]!);
    });
  });

  it('excludes an instance that alone has lost Redis', async () => {
    const [lonely, ...others] = cluster.instances;
    await lonely!.redisLink!.cutConnections();
    await cluster.waitUntilBalanced(others);
    const fallbacks = () => Promise.all(others.map((each) => each.sumMetric('rate_limit_fallback_total')));
    const before = await fallbacks();
    const [alone, ...together] = await letThrough(clusterFixture);
    expect([alone, sum(together)]).toEqual([RELAY, RELAY]);
    expect(await fallbacks()).toEqual(before);
  });
});
