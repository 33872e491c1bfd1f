import { waitFor } from '../support/wait-for';
import type { HttpResponse } from '../support/http-client';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses } from './support/traffic-generator';

describe('the load balancer', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  const me = () => cluster.http.get('/external/v1/me', clusterFixture.token);
  beforeAll(async () => {
    cluster = await Cluster.start({ env: { RATE_LIMIT_ADDRESS: '60' } });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture.close();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  it('distributes requests evenly, with the same state on all instances', async () => {
    const served = [0, 0, 0];
    for (let n = 0; n < 30; n++) {
      const httpResponse = await me();
      expect(httpResponse.body.data.account.id).toBe(clusterFixture.ada.accountId);
      served[(await cluster.findServingInstance(httpResponse)).index]! += 1;
    }
    expect(served).toEqual([10, 10, 10]);
  });

  it('distributes device sockets evenly', async () => {
    // One after the other, since two threads of HAProxy may choose the same instance in the same moment.
    for (let n = 0; n < 6; n++) await clusterFixture.createMachine(cluster.balancer);
    const held = cluster.instances.map((instance) => instance.sumMetric('relay_connected_devices'));
    expect(await Promise.all(held)).toEqual([2, 2, 2]);
  });

  it('sends nothing new to an instance that shuts down, without aborting requests', async () => {
    const draining = cluster.getInstance(1);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const work = () => released.then(() => ({ ok: true, result: { exitCode: 0 } }));
    const machine = await clusterFixture.createMachine(draining, work);
    // One per instance.
    const calls = cluster.instances.map(() => clusterFixture.invokeMachine(machine.id));
    await waitFor(() => expect(machine.socket.requests.length).toBeGreaterThan(0));
    const ended = draining.stopGracefully();
    await cluster.waitUntilBalanced([cluster.getInstance(0), cluster.getInstance(2)]);

    const sent: HttpResponse[] = [];
    for (let n = 0; n < 30; n++) sent.push(await me());
    expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
    const others = await Promise.all(sent.map((httpResponse) => cluster.findServingInstance(httpResponse)));
    expect(others).not.toContain(draining);

    release();
    const answers: HttpResponse[] = await Promise.all(calls);
    const relayed = answers.filter(({ status }) => status === 200);
    const servers = await Promise.all(relayed.map((answer) => cluster.findServingInstance(answer)));
    expect(servers).toContain(draining);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    await draining.start();
    await cluster.waitUntilBalanced();
  });

  it('passes the caller’s address to the instances and ignores the caller’s headers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 61 }, (_, n) =>
        cluster.http.get('/external/v1/me', 'svc_pat_nonsense', {
          headers: { 'X-Forwarded-For': `203.0.113.${n}` },
        }),
      ),
    );
    // All tests share one address, whose devices also requested challenges.
    const seen = countStatuses(answers.map((answer) => ({ answer })));
    expect(Object.keys(seen)).toEqual(['401', '429']);
    expect(seen[401]).toBeLessThanOrEqual(60);
  });
});
