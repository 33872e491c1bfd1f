import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';
import { Cluster } from '../support/cluster';
import { ClusterFixture } from '../support/cluster-fixture';

const OUTAGE_MS = 1_500;

describe('a call with a key that ends while the database is away', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;

  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, isDatabaseProxied: true });
    fixture = await ClusterFixture.start(cluster);
  }, 60_000);
  afterAll(async () => {
    fixture?.close();
    await cluster?.stop();
  });

  const links = () => cluster.instances.map(({ databaseLink }) => databaseLink!);
  const invoke = (machineId: string, key: string, index: number) => {
    const options = { headers: { 'Idempotency-Key': key } };
    return fixture.invokeMachine(machineId, {}, options, cluster.getInstance(index).http);
  };

  /** Creates a machine that gives this answer when the instances have lost the database. */
  async function createMachine(answer: object) {
    const machine = await fixture.createMachine(cluster.getInstance(1));
    machine.socket.setHandler(async () => {
      await Promise.all(links().map((link) => link.cutConnections()));
      return answer;
    });
    return machine;
  }

  async function endOutage(): Promise<void> {
    await sleep(OUTAGE_MS);
    await Promise.all(links().map((link) => link.restoreTraffic()));
    for (const { http } of cluster.instances)
      await waitFor(async () => expectStatus(await http.get('/health/ready'), 200));
  }

  /** Repeats the call on all instances in turn until it succeeds. */
  function repeatUntilSuccess(machineId: string, key: string) {
    let attempts = 0;
    return waitFor(async () => {
      const answer = await invoke(machineId, key, attempts++ % 2);
      expectStatus(answer, 200);
      return answer;
    });
  }

  it('runs when it is repeated if the device has refused it', async () => {
    const machine = await createMachine({ ok: false, error: { code: 'busy', message: 'The queue is full.' } });
    const refused = await invoke(machine.id, 'refused', 0);
    expect(expectProblem(refused, 429, 'device_busy').outcome).toBe('not_delivered');
    machine.socket.setHandler(() => ({ ok: true, result: {} }));
    await endOutage();
    const again = await repeatUntilSuccess(machine.id, 'refused');
    expect(again.headers.has('idempotency-replayed')).toBe(false);
  }, 60_000);

  it('is replayed with the answer of the device', async () => {
    const machine = await createMachine({ ok: true, result: { exitCode: 0 } });
    const first = expectStatus(await invoke(machine.id, 'answered', 0), 200);
    await endOutage();
    const again = await repeatUntilSuccess(machine.id, 'answered');
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
    expect(machine.socket.requests).toHaveLength(1);
  }, 60_000);
});
