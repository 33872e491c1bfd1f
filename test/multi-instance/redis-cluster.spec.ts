import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { expectNoLeaks } from './support/leaks';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

const METADATA = 200;

describe('instances on a Redis Cluster', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start({ redis: 'cluster', env: { RATE_LIMIT_METADATA: String(METADATA) } });
  }, 120_000);
  beforeEach(async () => {
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture?.close();
    await cluster.redis.nodes.startMissing();
    await waitFor(async () => {
      for (const { http } of cluster.runningInstances) {
        const ready = await http.get('/health/ready', undefined, { headers: { 'X-Require-Redis': 'true' } });
        expect(ready.status).toBe(200);
      }
    }, 20_000);
    await expectNoLeaks(cluster);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
  }, 60_000);
  afterAll(() => cluster?.stop());

  const getMe = (fixture: ClusterFixture, n: number) =>
    cluster.getInstance(n % 3).http.get('/external/v1/me', fixture.token);
  const buildBucketKey = (fixture: ClusterFixture) => `limit:metadata:{${fixture.ada.accountId}}`;

  it('count exactly while the slot of a bucket moves from node to node', async () => {
    const key = buildBucketKey(clusterFixture);
    const answers: { answer: Awaited<ReturnType<typeof getMe>> }[] = [];
    let isMoving = true;
    const callers = Array.from({ length: 6 }, async (_, caller) => {
      for (let n = caller; isMoving || answers.length < METADATA + 20; n++) {
        answers.push({ answer: await getMe(clusterFixture, n) });
        await sleep(30);
      }
    });
    for (let n = 0; n < 6; n++) await cluster.redis.nodes.moveSlot(key, () => sleep(50));
    isMoving = false;
    await Promise.all(callers);
    expect(countStatuses(answers)).toEqual({ 200: METADATA, 429: answers.length - METADATA });
    const remaining = answers.flatMap(({ answer }) =>
      answer.status === 200 ? [Number(answer.headers.get('x-ratelimit-remaining'))] : [],
    );
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: METADATA }, (_, n) => n));
    for (const instance of cluster.instances) expect(await instance.sumMetric('rate_limit_fallback_total')).toBe(0);
  }, 60_000);

  it('serve reads while a master is lost, and count the accounts of the others exactly', async () => {
    const lost = await cluster.redis.nodes.findMaster(buildBucketKey(clusterFixture));
    const other = await waitFor(async () => {
      const fixture = await ClusterFixture.start(cluster);
      expect((await cluster.redis.nodes.findMaster(buildBucketKey(fixture))).port).not.toBe(lost.port);
      return fixture;
    }, 20_000);
    const trafficGenerator = new TrafficGenerator(() => getMe(clusterFixture, Math.floor(Math.random() * 3)), 2);
    await lost.kill();
    const reads = Array.from({ length: METADATA + 10 }, async (_, n) => {
      await sleep(5 * n);
      return { answer: await getMe(other, n) };
    });
    expect(countStatuses(await Promise.all(reads))).toEqual({ 200: METADATA, 429: 10 });
    const statuses = Object.keys(countStatuses(await trafficGenerator.stopCallers()));
    expect(['200', '429']).toEqual(expect.arrayContaining(statuses));
    await waitFor(async () => {
      const successor = await cluster.redis.nodes.findMaster(buildBucketKey(clusterFixture));
      expect(successor.port).not.toBe(lost.port);
    }, 20_000);
  }, 90_000);

  it('signal changes and relay calls through the load balancer, and again after the loss of a master', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    const invoke = (n: number) => clusterFixture.invokeMachine(machine.id, {}, {}, cluster.getInstance(n % 3).http);
    const invokeOnAll = async () => {
      for (let n = 0; n < 3; n++) expect((await invoke(n)).status).toBe(200);
    };
    // Instances subscribe again soon after the last failover. Until then they answer `relay_unavailable`.
    await waitFor(invokeOnAll, 10_000);
    await invokeOnAll();
    const master = await cluster.redis.nodes.findMaster(`relay:presence:{${clusterFixture.ada.accountId}}`);
    await master.kill();
    await waitFor(invokeOnAll, 30_000);
  }, 60_000);
});
