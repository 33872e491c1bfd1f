import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/wait-for';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { ClusterFixture } from '../support/cluster-fixture';
import { expectNoLeaks } from '../support/leaks';

/** Instance 0 has the device, instance 1 the caller. */
describe('a Redis Cluster, failing under relayed calls', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, redis: 'cluster' });
  }, 120_000);
  beforeEach(async () => {
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture.close();
    for (const node of nodes().nodes) node.resume();
    await nodes().startMissing();
    await waitFor(async () => {
      for (const { http } of cluster.runningInstances) expect((await http.get('/health/ready')).status).toBe(200);
    }, 20_000);
    await expectNoLeaks(cluster, undefined, 20_000);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
  }, 60_000);
  afterAll(() => cluster?.stop());

  const nodes = () => cluster.redis.nodes;
  const invoke = (id: string, from: number, body = {}) =>
    clusterFixture.invokeMachine(id, body, {}, cluster.getInstance(from).http);
  const waitUntilReached = (id: string) =>
    waitFor(async () => {
      for (const from of [0, 1]) expect((await invoke(id, from)).status).toBe(200);
    }, 30_000);
  const findChannel = async (index: number) => {
    const keys = await cluster.redis.listKeys();
    const ids = keys.flatMap((key) => /^relay:lease:(\{.*\})$/.exec(key)?.[1] ?? []);
    return `relay:to:${ids[index]}`;
  };

  it('is down: 503 for devices elsewhere, while those of the same instance serve', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    await waitUntilReached(machine.id);
    await Promise.all(nodes().nodes.map((node) => node.kill()));
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(503));
    for (let n = 0; n < 5; n++) {
      const answer = await invoke(machine.id, 1);
      expect(expectProblem(answer, 503, 'relay_unavailable').outcome).toBe('not_delivered');
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await invoke(machine.id, 0)).status).toBe(200);
    }
    await nodes().startMissing();
    await waitUntilReached(machine.id);
  }, 90_000);

  it('loses a master without a replica, which comes back empty: its accounts are reached again', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    await waitUntilReached(machine.id);
    const key = `relay:presence:{${clusterFixture.ada.accountId}}`;
    const master = await nodes().findMaster(key);
    await (await nodes().findReplica(master)).kill();
    await master.kill();
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(503), 10_000);
    // The other masters serve their accounts and instances. An instance that knew of none connects again first.
    const headers = { 'X-Require-Redis': 'true' };
    const check = () => cluster.getInstance(1).http.get('/health/ready', undefined, { headers });
    await waitFor(async () => expectStatus(await check(), 200));
    for (let n = 0; n < 10; n++) expectStatus(await check(), 200);
    await nodes().startMissing();
    await waitUntilReached(machine.id);
  }, 90_000);

  it.each([
    ['first', 0],
    ['second', 1],
  ])(
    'loses the master of the %s channel while a call runs: the call runs once',
    async (_, index) => {
      const machine = await clusterFixture.createMachine(cluster.getInstance(0), () =>
        sleep(500, { ok: true, result: {} }),
      );
      await waitUntilReached(machine.id);
      const before = clusterFixture.executionRecorder.totalCount;
      const master = await nodes().findMaster(await findChannel(index));
      const call = invoke(machine.id, 1);
      await waitFor(() => expect(clusterFixture.executionRecorder.totalCount).toBe(before + 1));
      await master.kill();
      const answer = await call;
      // The answer was sent through the other master, or was lost with this one.
      const isAnswered = answer.status === 200;
      const outcome = isAnswered ? 'answered' : expectProblem(answer, 502, 'device_disconnected').outcome;
      expect(outcome).toBe(isAnswered ? 'answered' : 'unknown');
      expect(clusterFixture.executionRecorder.totalCount).toBe(before + 1);
      await waitUntilReached(machine.id);
    },
    90_000,
  );

  it.each([
    ['first', 0],
    ['second', 1],
  ])(
    'lets a replica take over from the master of the %s channel while a call runs: its answer arrives',
    async (_, index) => {
      const machine = await clusterFixture.createMachine(cluster.getInstance(0), () =>
        sleep(1_500, { ok: true, result: {} }),
      );
      await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 10_000);
      const before = clusterFixture.executionRecorder.totalCount;
      const channel = await findChannel(index);
      const call = invoke(machine.id, 1);
      await waitFor(() => expect(clusterFixture.executionRecorder.totalCount).toBe(before + 1));
      await nodes().switchMaster(channel);
      expect((await call).status).toBe(200);
    },
    90_000,
  );

  it.each([
    ['first', 0],
    ['second', 1],
  ])(
    'moves the slot of the %s channel while a call runs: its answer arrives',
    async (_, index) => {
      const machine = await clusterFixture.createMachine(cluster.getInstance(0), () =>
        sleep(600, { ok: true, result: {} }),
      );
      await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 10_000);
      const before = clusterFixture.executionRecorder.totalCount;
      const channel = await findChannel(index);
      const call = invoke(machine.id, 1);
      await waitFor(() => expect(clusterFixture.executionRecorder.totalCount).toBe(before + 1));
      for (let n = 0; n < 3; n++) await nodes().moveSlot(channel);
      expect((await call).status).toBe(200);
      expect((await invoke(machine.id, 1)).status).toBe(200);
    },
    90_000,
  );

  it('has a frozen master: accounts on the others are reached, and no call sent meanwhile runs later', async () => {
    const channelPorts = await Promise.all(
      [0, 1].map(async (n) => (await nodes().findMaster(await findChannel(n))).port),
    );
    const frozen = (await nodes().listMasters()).find(({ port }) => !channelPorts.includes(port))!;
    const fixtures: ClusterFixture[] = [];
    const findFixture = (isFrozen: boolean) =>
      waitFor(async () => {
        const fixture = await ClusterFixture.start(cluster);
        fixtures.push(fixture);
        const master = await nodes().findMaster(`relay:presence:{${fixture.ada.accountId}}`);
        expect(master.port === frozen.port).toBe(isFrozen);
        return fixture;
      }, 20_000);
    const [affected, other] = [await findFixture(true), await findFixture(false)];
    const machines = [
      await affected.createMachine(cluster.getInstance(0)),
      await other.createMachine(cluster.getInstance(0)),
    ] as const;
    const via = cluster.getInstance(1).http;
    for (const [n, fixture] of [affected, other].entries()) {
      await waitFor(async () => expect((await fixture.invokeMachine(machines[n]!.id, {}, {}, via)).status).toBe(200));
    }
    frozen.suspend();
    const call = affected.invokeMachine(machines[0].id, { command: 'swallowed' }, {}, via);
    for (let n = 0; n < 20; n++) expect((await other.invokeMachine(machines[1].id, {}, {}, via)).status).toBe(200);
    expect(expectProblem(await call, 503, 'relay_unavailable').outcome).toBe('not_delivered');
    await waitFor(
      async () => expect((await affected.invokeMachine(machines[0].id, {}, {}, via)).status).toBe(200),
      30_000,
    );
    frozen.resume();
    await sleep(500);
    expect(affected.executionRecorder.countByMark('swallowed')).toBe(0);
    for (const fixture of fixtures) fixture.close();
  }, 90_000);
});
