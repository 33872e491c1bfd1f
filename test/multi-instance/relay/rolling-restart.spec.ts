import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { ClusterFixture } from '../support/cluster-fixture';
import { countStatuses, TrafficGenerator } from '../support/traffic-generator';

/** Devices and callers connect through the load balancer, as in production. */
describe('a rolling restart of every instance under load', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start();
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterAll(() => cluster?.stop());

  it('causes no unknown outcome and rejects no call', async () => {
    const work = (request: { params: { command: string } }) =>
      sleep(request.params.command === 'slow' ? 2_000 : 5, { ok: true, result: {} });
    const machines = await Promise.all(Array.from({ length: 6 }, () => clusterFixture.createRoamingMachine(work)));
    let n = 0;
    const call = (command: string) => () => {
      n += 1;
      return clusterFixture.invokeMachine(machines[n % machines.length]!.id, { command });
    };
    const traffic = [new TrafficGenerator(call('quick'), 6), new TrafficGenerator(call('slow'), 6)];
    const waitForCalls = () => Promise.all(traffic.map((each) => each.waitForCalls(20)));
    await waitForCalls();
    for (const instance of cluster.instances) {
      const { code, stderr } = await instance.restartProcess();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await cluster.waitUntilBalanced();
      await waitForCalls();
    }
    const calls = (await Promise.all(traffic.map((each) => each.stopCallers()))).flat();
    expect(Object.keys(countStatuses(calls))).toEqual(['200']);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
    expect(clusterFixture.executionRecorder.totalCount).toBe(calls.length);
    for (const { device } of machines) expect(device.connectionCount).toBeGreaterThan(1);
    clusterFixture.close();
    await expectNoLeaks(cluster);
  }, 180_000);
});
