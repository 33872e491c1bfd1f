import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { Scene } from '../support/scene';
import { statuses, Traffic } from '../support/traffic';

/** Devices and callers come through the load balancer, as in production. */
describe('a rolling restart of every instance under load', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start();
    scene = await Scene.start(cluster);
  });
  afterAll(() => cluster?.stop());

  it('ends no call with an unknown outcome, and refuses none', async () => {
    const work = (request: { params: { command: string } }) =>
      sleep(request.params.command === 'slow' ? 2_000 : 5, { ok: true, result: {} });
    const machines = await Promise.all(Array.from({ length: 6 }, () => scene.roamingMachine(work)));
    let n = 0;
    const call = (command: string) => () => {
      n += 1;
      return scene.invoke(machines[n % machines.length]!.id, { command });
    };
    const traffic = [new Traffic(call('quick'), 6), new Traffic(call('slow'), 6)];
    await sleep(1_000);
    for (const instance of cluster.instances) {
      const { code, stderr } = await instance.restart();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await cluster.balancedOver();
    }
    const calls = (await Promise.all(traffic.map((each) => each.stop()))).flat();
    expect(Object.keys(statuses(calls))).toEqual(['200']);
    expect(calls.length).toBeGreaterThan(500);
    expect(scene.executions.repeated).toEqual([]);
    expect(scene.executions.total).toBe(calls.length);
    for (const { device } of machines) expect(device.connects).toBeGreaterThan(1);
    scene.close();
    await expectNoLeaks(cluster);
  }, 180_000);
});
