import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ok } from '../support/device/foreign-device';
import { eventually } from '../support/eventually';
import { describeOwnPostgres, ThrowAwayPostgres } from '../support/throw-away-postgres';
import { Receiver } from '../support/webhooks/receiver';
import { LOOPBACK } from '../support/webhooks/webhook-scene';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';
import { WritingLoad } from './support/writing-load';

const BETWEEN_MS = 5_000;
const AWAY_MS = 1_000;

/** In which external-api.md and relay.md let a call end while the database goes and comes. */
const DOCUMENTED = [
  '503 service_unavailable unknown',
  '503 relay_unavailable not_delivered',
  '502 device_disconnected unknown',
  '409 idempotency_in_progress',
];

describeOwnPostgres('PostgreSQL, restarted and crashed under callers of two instances', () => {
  let postgres: ThrowAwayPostgres;
  let cluster: Cluster;
  let scene: Scene;
  let receiver: Receiver;
  let load: WritingLoad;
  const subscribed: { mark: string; id: string; found: string[] }[] = [];

  beforeAll(async () => {
    postgres = await ThrowAwayPostgres.create();
    cluster = await Cluster.start({ instances: 2, postgresUrl: postgres.url, env: LOOPBACK });
    scene = await Scene.start(cluster);
    receiver = await Receiver.start();
    load = new WritingLoad(cluster, scene);
  }, 120_000);
  afterAll(async () => {
    await load?.stop();
    scene?.close();
    await receiver?.stop();
    await cluster?.stop();
    await postgres?.remove();
  });

  /** A webhook made under a key, what the list then has of it, and its end. */
  const subscribing = (token: string) => async () => {
    const mark = randomUUID();
    const path = '/external/v1/webhooks';
    const body = { url: receiver.url, events: ['machine.online'], description: mark };
    const made = await load.underKey((http, headers) => http.post(path, token, body, { headers }));
    const list = await load.underKey((http, headers) => http.get(path, token, { headers }));
    const hooks: { id: string; description: string }[] = ok(list, 200).data;
    const found = hooks.filter(({ description }) => description === mark).map(({ id }) => id);
    subscribed.push({ mark, id: ok(made, 201).data.id, found });
    for (const id of found) await load.underKey((http) => http.delete(`${path}/${id}`, token));
  };

  it('is told of by 503, and both serve again by themselves', async () => {
    const { token } = await scene.ada.createToken(['webhooks:manage', 'machines:read']);
    const machines = await Promise.all(cluster.instances.map((instance) => scene.machine(instance)));
    await load.start(machines, subscribing(token));
    for (const mode of ['fast', 'immediate'] as const) {
      await sleep(BETWEEN_MS);
      await postgres.stop(mode);
      await sleep(AWAY_MS);
      await postgres.start();
    }
    await sleep(BETWEEN_MS);
    await load.stop();

    expect(Object.keys(load.refusals).filter((way) => !DOCUMENTED.includes(way))).toEqual([]);
    expect(load.refusals[DOCUMENTED[0]!]).toBeGreaterThan(10);
    for (const { http, isRunning } of cluster.instances) {
      await eventually(async () => ok(await http.get('/health/ready'), 200), 10_000);
      expect(isRunning).toBe(true);
    }
  }, 120_000);

  it('keeps every write that was acknowledged', async () => {
    const none = { messages: [], sessions: [], relay_calls: [] };
    await eventually(async () => expect(await load.lost()).toEqual(none), 10_000);
    for (const ids of Object.values(load.written)) expect(ids.size).toBeGreaterThan(50);
    expect(load.reads).toBeGreaterThan(100);
  });

  it('lets nothing run twice, nor at all where the answer said so', async () => {
    expect(load.misdeeds()).toEqual([]);
    expect(scene.executions.repeated).toEqual([]);
    expect(load.called.filter(({ keyed, answer }) => keyed && answer.status === 200).length).toBeGreaterThan(50);
    expect(subscribed.filter(({ id, found }) => found.join() !== id)).toEqual([]);
    expect(subscribed.length).toBeGreaterThan(3);
    scene.close();
    await expectNoLeaks(cluster, undefined, 10_000);
  });
});
