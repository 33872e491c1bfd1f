import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from '../../support/scale';
import { Cluster } from '../support/cluster';
import { EXPECTED_REDIS_KEYS, expectNoLeaks } from '../support/leaks';
import { ClusterFixture } from '../support/cluster-fixture';

const IN_FLIGHT = 64;
/** Long enough for several kills. */
const FOR_MS = scaled(60_000, 18_000);
const KILL_EVERY_MS = 5_000;

const SUCCESS_RESPONSE = '200 answered';
/** Never allowed: the load balancer responds to every request of a killed instance. */
const CLOSED = 'closed without an answer';

/** Responses that docs/protocol/relay.md#failure-table and the load balancer allow. */
const DOCUMENTED = [
  SUCCESS_RESPONSE,
  '502 device_disconnected unknown',
  '503 no_online_device not_delivered',
  '503 relay_unavailable not_delivered',
  '503 service_unavailable not_delivered',
  '429 device_busy not_delivered',
  '504 timeout unknown',
];

interface ChaosCallResult {
  mark: string;
  outcome: string;
}

describe('64 calls in flight while a random instance is killed every five seconds', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start();
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterAll(() => cluster?.stop());

  /** Without validation, because the load balancer's own responses aren't in the API's document. */
  const invoke = (machineId: string, command: string) =>
    fetch(`${cluster.http.url}/external/v1/machines/${machineId}/invoke`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${clusterFixture.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ command }),
    });

  it('each get exactly one documented response, and no undelivered call ran', async () => {
    const work = () => sleep(Math.random() * 300, { ok: true, result: {} });
    const machines: Awaited<ReturnType<ClusterFixture['createRoamingMachine']>>[] = [];
    for (let n = 0; n < 12; n++) machines.push(await clusterFixture.createRoamingMachine(work));
    const until = performance.now() + FOR_MS;
    const ended: ChaosCallResult[] = [];
    const callers = Array.from({ length: IN_FLIGHT }, async (_, caller) => {
      while (performance.now() < until) {
        const mark = randomUUID();
        const { id } = machines[caller % machines.length]!;
        const way = await invoke(id, mark).then(describeResponse, describeFailure);
        ended.push({ mark, outcome: way });
        if (way !== SUCCESS_RESPONSE) await sleep(50);
      }
    });
    let kills = 0;
    while (performance.now() + KILL_EVERY_MS < until) {
      const killAt = sleep(KILL_EVERY_MS);
      const victim = cluster.getInstance(Math.floor(Math.random() * 3));
      await killAt;
      await victim.killProcess();
      kills++;
      await victim.start();
    }
    await Promise.all(callers);
    expect(kills).toBeGreaterThan(0);

    expect(ended.filter(({ outcome: way }) => !DOCUMENTED.includes(way))).toEqual([]);
    const runs = (mark: string) => clusterFixture.executionRecorder.countByMark(mark);
    const notDelivered = ended.filter(({ outcome: way }) => way.endsWith('not_delivered'));
    expect(notDelivered.filter(({ mark }) => runs(mark) > 0)).toEqual([]);
    const answered = ended.filter(({ outcome: way }) => way === SUCCESS_RESPONSE);
    expect(answered.filter(({ mark }) => runs(mark) !== 1)).toEqual([]);
    expect(ended.filter(({ mark }) => runs(mark) > 1)).toEqual([]);
    expect(answered.length).toBeGreaterThan(ended.length / 2);
    expect(ended.length).toBeGreaterThan(scaled(1_000, 300));

    clusterFixture.close();
    await expectNoLeaks(cluster, EXPECTED_REDIS_KEYS, 20_000);
  }, 180_000);
});

async function describeResponse(response: Response): Promise<string> {
  const { code, outcome } = (await response.json()) as { code?: string; outcome?: string };
  return response.status === 200 ? SUCCESS_RESPONSE : `${response.status} ${code} ${outcome}`;
}

/** @throws every other error than a closed connection */
function describeFailure(error: Error & { cause?: { code?: string } }): string {
  if (error.cause?.code !== 'UND_ERR_SOCKET') throw error;
  return CLOSED;
}
