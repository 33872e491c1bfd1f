import { eventually } from '../support/eventually';
import type { Answer } from '../support/http-client';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';
import { statuses } from './support/traffic';

describe('the load balancer', () => {
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

  it('spreads requests evenly, and the state is the same wherever they go', async () => {
    const served = [0, 0, 0];
    for (let n = 0; n < 30; n++) {
      const answer = await me();
      expect(answer.body.data.account.id).toBe(scene.ada.accountId);
      served[(await cluster.servedBy(answer)).index]! += 1;
    }
    expect(served).toEqual([10, 10, 10]);
  });

  it('spreads device sockets evenly', async () => {
    await Promise.all(Array.from({ length: 6 }, () => scene.machine(cluster.balancer)));
    const held = cluster.instances.map((instance) => instance.metric('relay_connected_devices'));
    expect(await Promise.all(held)).toEqual([2, 2, 2]);
  });

  it('tells the instances the address of the caller, whatever the caller says of it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 61 }, (_, n) =>
        cluster.http.get('/external/v1/me', 'svc_pat_nonsense', {
          headers: { 'X-Forwarded-For': `203.0.113.${n}` },
        }),
      ),
    );
    expect(statuses(answers.map((answer) => ({ answer })))).toEqual({ 401: 60, 429: 1 });
  });

  it('sends nothing new to an instance that drains, and cuts nothing off', async () => {
    const draining = cluster.instance(1);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const work = () => released.then(() => ({ ok: true, result: { exitCode: 0 } }));
    const machine = await scene.machine(draining, work);
    // One for each instance, in turn.
    const calls = cluster.instances.map(() => scene.invoke(machine.id));
    await eventually(() => expect(machine.socket.requests.length).toBeGreaterThan(0));
    const ended = draining.drain();
    await cluster.balancedOver([cluster.instance(0), cluster.instance(2)]);

    const before = requestsOf(draining);
    for (let n = 0; n < 30; n++) expect((await me()).status).toBe(200);
    expect(requestsOf(draining)).toBe(before);

    release();
    const answers: Answer[] = await Promise.all(calls);
    const relayed = answers.filter(({ status }) => status === 200);
    const servers = await Promise.all(relayed.map((answer) => cluster.servedBy(answer)));
    expect(servers).toContain(draining);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    await draining.start();
    await cluster.balancedOver();
  });
});

/** How many requests its log shows, health checks apart. */
function requestsOf({ log }: Cluster['instances'][number]): number {
  return log.filter(({ msg, route }) => msg === 'request' && !String(route).startsWith('/health/')).length;
}
