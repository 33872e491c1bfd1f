import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

describe('a lost instance', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  const me = () => cluster.http.get('/external/v1/me', clusterFixture.token);
  beforeAll(async () => {
    cluster = await Cluster.start();
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture.close();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  it('fails at most one request per caller when killed, and serves again after a restart', async () => {
    const trafficGenerator = new TrafficGenerator(me, 4);
    await trafficGenerator.waitForCalls(20);
    await cluster.getInstance(0).killProcess();
    const killedAt = performance.now();
    await trafficGenerator.waitForCalls(100);
    const calls = await trafficGenerator.stopCallers();
    const failed = calls.filter(({ answer }) => answer?.status !== 200);
    expect(failed.length).toBeLessThanOrEqual(4);
    expect(failed.filter(({ startedAt: beganAt }) => beganAt > killedAt)).toEqual([]);
    await cluster.waitUntilBalanced([cluster.getInstance(1), cluster.getInstance(2)]);
    await cluster.getInstance(0).start();
    await cluster.waitUntilBalanced();
  });

  it('delays only the requests that it has when frozen', async () => {
    const frozen = cluster.getInstance(2);
    const trafficGenerator = new TrafficGenerator(me, 3);
    await trafficGenerator.waitForCalls(10);
    frozen.suspendProcess();
    await cluster.balancer.waitForInstanceState(2, 'DOWN', 5_000);
    for (let n = 0; n < 30; n++) {
      const began = performance.now();
      expect((await me()).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(1_000);
    }
    frozen.resumeProcess();
    await cluster.balancer.waitForInstanceState(2, 'UP', 5_000);
    expect(Object.keys(countStatuses(await trafficGenerator.stopCallers()))).toEqual(['200']);
  });

  it('is replaced by another instance for its devices', async () => {
    const { device } = await clusterFixture.createRoamingMachine();
    const holders = async () => {
      const counts = cluster.runningInstances.map(async (instance) => ({
        instance,
        held: await instance.sumMetric('relay_connected_devices'),
      }));
      return (await Promise.all(counts)).filter(({ held }) => held > 0).map(({ instance }) => instance);
    };
    const [holder] = await holders();
    await holder!.killProcess();
    await waitFor(async () => expect(await holders()).toHaveLength(1));
    // The instance registers the socket before it sends hello.
    await waitFor(() => expect(device.connectionCount).toBe(2));
    await holder!.start();
    await cluster.balancer.waitForInstanceState(holder!.index, 'UP');
  });
});
