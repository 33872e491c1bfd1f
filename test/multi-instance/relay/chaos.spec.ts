import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../support/cluster';
import { EXPECTED_KEYS, expectNoLeaks } from '../support/leaks';
import { Scene } from '../support/scene';

const IN_FLIGHT = 64;
const FOR_MS = 60_000;
const KILL_EVERY_MS = 5_000;

const ANSWERED = '200 answered';
/** HAProxy says nothing where the instance of a second request in a connection dies: nobody knows, as with a 502. */
const CLOSED = 'closed without an answer';

/** In which relay.md and the load balancer let a call end. */
const DOCUMENTED = [
  ANSWERED,
  '502 device_disconnected unknown',
  '503 no_online_device not_delivered',
  '503 relay_unavailable not_delivered',
  '503 service_unavailable not_delivered',
  '429 device_busy not_delivered',
  '504 timeout unknown',
  CLOSED,
];

interface Ended {
  mark: string;
  way: string;
}

describe('64 calls in flight while a random instance is killed every five seconds', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start();
    scene = await Scene.start(cluster);
  });
  afterAll(() => cluster?.stop());

  /** Plain HTTP: what the load balancer answers by itself is not in the API's document. */
  const invoke = (machineId: string, command: string) =>
    fetch(`${cluster.http.url}/external/v1/machines/${machineId}/invoke`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${scene.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ command }),
    });

  it('each end in exactly one documented way, and no call that was not delivered ran', async () => {
    const work = () => sleep(Math.random() * 300, { ok: true, result: {} });
    const machines = await Promise.all(Array.from({ length: 12 }, () => scene.roamingMachine(work)));
    const until = performance.now() + FOR_MS;
    const ended: Ended[] = [];
    const callers = Array.from({ length: IN_FLIGHT }, async (_, caller) => {
      while (performance.now() < until) {
        const mark = randomUUID();
        const { id } = machines[caller % machines.length]!;
        const way = await invoke(id, mark).then(wayOf, whyNot);
        ended.push({ mark, way });
        if (way !== ANSWERED) await sleep(50);
      }
    });
    while (performance.now() + KILL_EVERY_MS < until) {
      const killAt = sleep(KILL_EVERY_MS);
      const victim = cluster.instance(Math.floor(Math.random() * 3));
      await killAt;
      await victim.kill();
      await victim.start();
    }
    await Promise.all(callers);

    expect(ended.filter(({ way }) => !DOCUMENTED.includes(way))).toEqual([]);
    const runs = (mark: string) => scene.executions.marked(mark);
    const notDelivered = ended.filter(({ way }) => way.endsWith('not_delivered'));
    expect(notDelivered.filter(({ mark }) => runs(mark) > 0)).toEqual([]);
    const answered = ended.filter(({ way }) => way === ANSWERED);
    expect(answered.filter(({ mark }) => runs(mark) !== 1)).toEqual([]);
    expect(ended.filter(({ mark }) => runs(mark) > 1)).toEqual([]);
    expect(answered.length).toBeGreaterThan(ended.length / 2);
    expect(ended.length).toBeGreaterThan(1_000);

    scene.close();
    await expectNoLeaks(cluster, EXPECTED_KEYS, 20_000);
  }, 180_000);
});

async function wayOf(response: Response): Promise<string> {
  const { code, outcome } = (await response.json()) as { code?: string; outcome?: string };
  return response.status === 200 ? ANSWERED : `${response.status} ${code} ${outcome}`;
}

/** @throws what is no closed connection */
function whyNot(error: Error & { cause?: { code?: string } }): string {
  if (error.cause?.code !== 'UND_ERR_SOCKET') throw error;
  return CLOSED;
}
