import { migrations } from '../../migrations';
import { expectStatus } from '../support/device/foreign-device';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

describe('two instances', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, redis: 'shared', startsEmpty: true });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(() => expectNoLeaks(cluster));
  afterAll(() => cluster?.stop());

  it('that start concurrently on an empty database run each migration once', async () => {
    const rows = await cluster.testDatabase.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    for (const { http } of cluster.instances) {
      expect(expectStatus(await http.get('/health/ready'), 200).details).toEqual({
        database: { status: 'up' },
        redis: { status: 'up' },
        draining: { status: 'up' },
      });
      expect(expectStatus(await http.get('/external/v1/me', clusterFixture.token), 200).data.token.id).toBe(
        clusterFixture.tokenId,
      );
    }
  });

  it('that restart one after the other fail no read and exit 0', async () => {
    const trafficGenerator = new TrafficGenerator(() => cluster.http.get('/external/v1/me', clusterFixture.token), 4);
    await trafficGenerator.waitForCalls(20);
    for (const instance of cluster.instances) {
      expect(await instance.restartProcess()).toMatchObject({ code: 0, stderr: '' });
      await cluster.waitUntilBalanced();
      await trafficGenerator.waitForCalls(20);
    }
    const calls = await trafficGenerator.stopCallers();
    expect(Object.keys(countStatuses(calls))).toEqual(['200']);
  });
});
