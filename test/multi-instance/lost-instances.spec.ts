import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';
import { statuses, Traffic } from './support/traffic';

describe('an instance that is lost', () => {
  let cluster: Cluster;
  let scene: Scene;
  const me = () => cluster.http.get('/external/v1/me', scene.token);
  beforeAll(async () => {
    cluster = await Cluster.start();
    scene = await Scene.start(cluster);
  });
  afterEach(async () => {
    scene.close();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  it('costs each caller one request at most when an instance is killed, and takes it back', async () => {
    const traffic = new Traffic(me, 4);
    await sleep(300);
    await cluster.instance(0).kill();
    const killedAt = performance.now();
    await sleep(2_500);
    const calls = await traffic.stop();
    const failed = calls.filter(({ answer }) => answer?.status !== 200);
    expect(failed.length).toBeLessThanOrEqual(4);
    expect(failed.filter(({ beganAt }) => beganAt > killedAt)).toEqual([]);
    expect(calls.filter(({ beganAt }) => beganAt > killedAt).length).toBeGreaterThan(100);
    await cluster.balancedOver([cluster.instance(1), cluster.instance(2)]);
    await cluster.instance(0).start();
    await cluster.balancedOver();
  });

  it('keeps those waiting whose request it froze with, and nobody else', async () => {
    const frozen = cluster.instance(2);
    const traffic = new Traffic(me, 3);
    await sleep(200);
    frozen.freeze();
    await cluster.balancer.finds(2, 'DOWN', 5_000);
    for (let n = 0; n < 30; n++) {
      const began = performance.now();
      expect((await me()).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(1_000);
    }
    frozen.thaw();
    await cluster.balancer.finds(2, 'UP', 5_000);
    expect(Object.keys(statuses(await traffic.stop()))).toEqual(['200']);
  });

  it('is replaced by another one for its devices', async () => {
    const { device } = await scene.roamingMachine();
    const holders = async () => {
      const counts = cluster.running.map(async (instance) => ({
        instance,
        held: await instance.metric('relay_connected_devices'),
      }));
      return (await Promise.all(counts)).filter(({ held }) => held > 0).map(({ instance }) => instance);
    };
    const [holder] = await holders();
    await holder!.kill();
    await eventually(async () => expect(await holders()).toHaveLength(1));
    // The instance holds it before it says hello.
    await eventually(() => expect(device.connects).toBe(2));
    await holder!.start();
    await cluster.balancer.finds(holder!.index, 'UP');
  });
});
