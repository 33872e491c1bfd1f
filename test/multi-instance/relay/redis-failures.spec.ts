import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { NO_ANSWER } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { Scene } from '../support/scene';
import { timed } from '../support/timed';

describe('Redis, failing under relayed calls', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, redis: 'proxied' });
    scene = await Scene.start(cluster);
  });
  afterEach(async () => {
    scene.close();
    expect(cluster.running).toHaveLength(2);
    await eventually(async () => {
      for (const { http } of cluster.running) expect((await http.get('/health/ready')).status).toBe(200);
    }, 10_000);
    await expectNoLeaks(cluster);
    expect(scene.executions.repeated).toEqual([]);
  });
  afterAll(() => cluster?.stop());

  const via = (index: number) => cluster.instance(index).http;
  const invoke = (id: string, from: number, body = {}) => scene.invoke(id, body, {}, via(from));

  it('is down: 503 at once for devices elsewhere, while those of the same instance serve', async () => {
    const machine = await scene.machine(cluster.instance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    await cluster.redis.process.kill();
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(503));
    for (let n = 0; n < 5; n++) {
      const { answer, tookMs } = await timed(() => invoke(machine.id, 1));
      expect(problem(answer, 503, 'relay_unavailable').outcome).toBe('not_delivered');
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(tookMs).toBeLessThan(500);
      expect((await invoke(machine.id, 0)).status).toBe(200);
    }
    await cluster.redis.process.startAgain();
    const backAt = performance.now();
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(200));
    expect(performance.now() - backAt).toBeLessThan(2_000);
  });

  it('loses a device’s new connection and comes back with the old one: the new one is reached', async () => {
    const machine = await scene.machine(cluster.instance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    await cluster.redis.process.snapshot();
    await cluster.redis.process.kill();
    const newer = await scene.connect(machine.device, cluster.instance(1), () => ({
      ok: true,
      result: { by: 'newer' },
    }));
    await cluster.redis.process.startAgainWithSnapshot();
    await eventually(async () => {
      for (const from of [0, 1]) {
        expect((await invoke(machine.id, from)).body.result).toEqual({ by: 'newer' });
      }
    });
    await machine.socket.disconnected;
    newer.close();
  });

  it('is restarted while a call runs: its answer arrives all the same', async () => {
    const machine = await scene.machine(cluster.instance(0), () => sleep(1_500, { ok: true, result: {} }));
    const call = invoke(machine.id, 1);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    await cluster.redis.process.kill();
    await cluster.redis.process.startAgain();
    expect((await call).status).toBe(200);
  });

  it('is beyond a black hole: nothing sent into it runs when it ends', async () => {
    const machine = await scene.machine(cluster.instance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    cluster.redis.blackhole();
    const calls = [0, 1, 2].map(() => timed(() => invoke(machine.id, 1, { command: 'swallowed' })));
    for (const { answer, tookMs } of await Promise.all(calls)) {
      expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
      expect(tookMs).toBeLessThan(3_000);
    }
    const { answer, tookMs } = await timed(() => invoke(machine.id, 1, { command: 'swallowed' }));
    expect(problem(answer, 503, 'relay_unavailable').outcome).toBe('not_delivered');
    expect(tookMs).toBeLessThan(1_000);
    expect((await invoke(machine.id, 0)).status).toBe(200);
    await cluster.redis.restore();
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 5_000);
    expect(scene.executions.marked('swallowed')).toBe(0);
  });

  it('is silent while a device comes and goes: the device does not stay online', async () => {
    const { device, id } = await scene.offlineMachine();
    cluster.redis.blackhole();
    const socket = io(cluster.instance(0).url, {
      path: '/v1/devices/socket',
      transports: ['websocket'],
      reconnection: false,
      auth: { token: device.token, capabilities: ['machine.invoke'] },
    });
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    socket.close();
    // Longer than the instance waits for Redis before it goes on.
    await sleep(2_000);
    const { data } = ok(await via(0).get(`/external/v1/machines/${id}`, scene.token), 200);
    expect(data.state).toBe('offline');
    await cluster.redis.restore();
  });

  it('is heard again: the relay carries on with the first answer, however late it comes', async () => {
    const machine = await scene.machine(cluster.instance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    cluster.redis.blackhole();
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(503));
    await cluster.redis.restore();
    // Far sooner than the next renewal of the lease, every two seconds.
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 500);
  });

  it('is lost to the owner alone: its caller is told that nobody knows, and nothing runs twice', async () => {
    const machine = await scene.machine(cluster.instance(0));
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(200));
    const before = machine.socket.requests.length;
    machine.socket.answerWith(() => NO_ANSWER);
    const call = timed(() => invoke(machine.id, 1));
    await eventually(() => expect(machine.socket.requests).toHaveLength(before + 1));
    const lostAt = performance.now();
    cluster.instance(0).redisLink!.blackhole();
    const { answer, endedAt } = await call;
    expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - lostAt).toBeLessThan(3_000);
    await cluster.redis.restore();
    machine.socket.answerWith(() => ({ ok: true, result: {} }));
    await eventually(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 8_000);
  });

  it('carries an answer twice: the first counts, the other is counted', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const machine = await scene.machine(cluster.instance(0), () =>
      released.then(() => ({ ok: true, result: { real: true } })),
    );
    const call = invoke(machine.id, 1);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const callId = machine.socket.requests[0].requestId as string;
    const answer = { kind: 'result', result: { first: true }, bytes: 14 };
    const head = { version: 1, type: 'answer', callId, attempt: 1, deviceMs: 1, kind: 'answered' };
    const before = await cluster.instance(1).metric('relay_duplicate_answers_total');
    await cluster.redis.publishToInstances(`${JSON.stringify(head)}\n${JSON.stringify(answer)}`);
    expect((await call).body.result).toEqual({ first: true });
    release();
    await eventually(async () => {
      expect(await cluster.instance(1).metric('relay_duplicate_answers_total')).toBe(before + 1);
    });
  });
});
