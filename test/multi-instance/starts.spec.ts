import { setTimeout as sleep } from 'node:timers/promises';
import { migrations } from '../../migrations';
import { ok } from '../support/device/foreign-device';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';
import { statuses, Traffic } from './support/traffic';

describe('two instances', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, redis: 'shared' });
    scene = await Scene.start(cluster);
  });
  afterEach(() => expectNoLeaks(cluster));
  afterAll(() => cluster?.stop());

  it('that start at once on an empty database run each migration once, and both serve', async () => {
    const rows = await cluster.database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    for (const { http } of cluster.instances) {
      expect(ok(await http.get('/health/ready'), 200).details).toEqual({
        database: { status: 'up' },
        redis: { status: 'up' },
        draining: { status: 'up' },
      });
      expect(ok(await http.get('/external/v1/me', scene.token), 200).data.token.id).toBe(scene.tokenId);
    }
  });

  it('that are restarted one after the other fail no read, and exit 0', async () => {
    const traffic = new Traffic(() => cluster.http.get('/external/v1/me', scene.token), 4);
    await sleep(200);
    for (const instance of cluster.instances) {
      expect(await instance.restart()).toMatchObject({ code: 0, stderr: '' });
      await cluster.balancedOver();
    }
    const calls = await traffic.stop();
    expect(Object.keys(statuses(calls))).toEqual(['200']);
    expect(calls.length).toBeGreaterThan(200);
  });
});
