import { NO_ANSWER } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { Scene } from '../support/scene';
import { TcpProxy } from '../support/tcp-proxy';
import { timed } from '../support/timed';

/** Devices on one instance, their callers on another. */
describe('a device that fails, seen from another instance', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2 });
    scene = await Scene.start(cluster);
  });
  afterEach(async () => {
    scene.close();
    await expectNoLeaks(cluster);
    expect(scene.executions.repeated).toEqual([]);
  });
  afterAll(() => cluster?.stop());

  const holder = () => cluster.instance(0);
  const caller = () => cluster.instance(1).http;
  const invoke = (id: string, body = {}) => scene.invoke(id, body, {}, caller());

  it('serves while it does not: the answer passes as it was sent', async () => {
    const result = { exitCode: 0, text: 'größer\u2028 \n "x"', deep: { list: [1, null, { a: 'b' }] } };
    const machine = await scene.machine(holder(), () => ({ ok: true, result }));
    const answer = await invoke(machine.id, { command: 'ls', args: ['-l'] });
    expect(answer).toMatchObject({ status: 200, body: { result } });
    expect(machine.socket.requests[0].params).toEqual({ command: 'ls', args: ['-l'], cwd: null });
    // Another instance's audit is written behind.
    const audit = await eventually(() => scene.auditOf(answer));
    expect(audit).toMatchObject({ deviceId: machine.device.id, outcome: 'answered', status: 200 });
    expect(audit.totalMs).toBeGreaterThanOrEqual(audit.deviceMs);
  });

  it('closes mid-call: 502 within a second, and what is known of it', async () => {
    const machine = await scene.machine(holder(), () => NO_ANSWER);
    const call = timed(() => invoke(machine.id));
    await eventually(() => expect(scene.executions.of(machine.socket.requests[0]?.requestId)).toBe(1));
    const closedAt = performance.now();
    machine.socket.close();
    const { answer, endedAt } = await call;
    expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - closedAt).toBeLessThan(1_000);
    problem(await invoke(machine.id), 503, 'no_online_device');
  });

  it('is killed mid-call: 502 within a second', async () => {
    const path = await TcpProxy.start(holder().port);
    const machine = await scene.machine({ url: `http://127.0.0.1:${path.port}` }, () => NO_ANSWER);
    const call = timed(() => invoke(machine.id));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const killedAt = performance.now();
    await path.cut();
    const { answer, endedAt } = await call;
    expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - killedAt).toBeLessThan(1_000);
  });

  it('is lost in silence: 502 within 20 seconds, by ping', async () => {
    const path = await TcpProxy.start(holder().port);
    const machine = await scene.machine({ url: `http://127.0.0.1:${path.port}` }, () => NO_ANSWER);
    const call = timed(() => invoke(machine.id, { timeoutMs: 28_000 }));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const lostAt = performance.now();
    path.blackhole();
    const { answer, endedAt } = await call;
    problem(answer, 502, 'device_disconnected');
    expect(endedAt - lostAt).toBeLessThan(20_500);
    await path.cut();
  });

  it('never answers: 504 two seconds after its time, beside a healthy one that is not slowed', async () => {
    const silent = await scene.machine(holder(), () => NO_ANSWER);
    const healthy = await scene.machine(holder());
    const call = timed(() => invoke(silent.id, { timeoutMs: 1_500 }));
    let served = 0;
    let slowest = 0;
    const deadline = performance.now() + 3_000;
    while (performance.now() < deadline) {
      const { answer, tookMs } = await timed(() => invoke(healthy.id));
      expect(answer.status).toBe(200);
      slowest = Math.max(slowest, tookMs);
      served += 1;
    }
    const { answer, tookMs } = await call;
    expect(problem(answer, 504, 'timeout').outcome).toBe('unknown');
    expect(tookMs).toBeGreaterThan(3_400);
    expect(tookMs).toBeLessThan(4_500);
    expect(served).toBeGreaterThan(20);
    expect(slowest).toBeLessThan(1_000);
  });

  it('answers late: the caller keeps its 504, and the key gets the answer', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const work = () => released.then(() => ({ ok: true, result: { late: true } }));
    const machine = await scene.machine(holder(), work);
    const keyed = { headers: { 'Idempotency-Key': 'late' } };
    problem(await scene.invoke(machine.id, { timeoutMs: 1 }, keyed, caller()), 504, 'timeout');
    release();
    await eventually(async () => {
      const again = await scene.invoke(machine.id, { timeoutMs: 1 }, keyed, caller());
      expect(again).toMatchObject({ status: 200, body: { result: { late: true } } });
    });
    expect(await cluster.instance(1).metric('relay_late_answers_total')).toBe(1);
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('has sixteen calls in flight: the next is refused, and a slot is free when one ends', async () => {
    const machine = await scene.machine(holder(), () => NO_ANSWER);
    const calls = Array.from({ length: 16 }, () => invoke(machine.id, { timeoutMs: 1 }));
    await eventually(() => expect(machine.socket.requests).toHaveLength(16));
    expect(problem(await invoke(machine.id), 429, 'device_busy').outcome).toBe('not_delivered');
    for (const call of calls) problem(await call, 504, 'timeout');
    machine.socket.answerWith(() => ({ ok: true, result: {} }));
    expect((await invoke(machine.id)).status).toBe(200);
  });

  it('is told when its caller hangs up', async () => {
    const machine = await scene.machine(holder(), () => NO_ANSWER);
    const hangUp = new AbortController();
    const call = scene.invoke(machine.id, {}, { signal: hangUp.signal }, caller()).catch(() => undefined);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    hangUp.abort();
    await call;
    const { requestId } = machine.socket.requests[0];
    await eventually(() => expect(machine.socket.cancels).toEqual([{ requestId, reason: 'caller_gone' }]));
    machine.socket.close();
  });

  it('is revoked mid-call: 502 within a second, wherever it was revoked', async () => {
    const machine = await scene.machine(holder(), () => NO_ANSWER);
    const call = timed(() => invoke(machine.id));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    ok(await caller().delete(`/v1/devices/${machine.device.id}`, scene.ada.token), 204);
    const revokedAt = performance.now();
    const { answer, endedAt } = await call;
    problem(answer, 502, 'device_disconnected');
    expect(endedAt - revokedAt).toBeLessThan(1_000);
    await machine.socket.disconnected;
    problem(await invoke(machine.id), 503, 'no_online_device');
  });

  it('answers in hostile ways: 502 for that call alone', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
    const hostile = [
      () => ({ ok: true, result: { nested: nested(90) } }),
      () => ({ ok: true, result: { big: 'x'.repeat(3 * 1_048_576 + 1) } }),
      () => ({ ok: true, result: { binary: Buffer.from('binary') } }),
      () => 'nothing of the kind',
    ];
    const healthy = await scene.machine(holder());
    for (const work of hostile) {
      const machine = await scene.machine(holder(), work);
      const [answer, other] = await Promise.all([invoke(machine.id), invoke(healthy.id)]);
      expect(problem(answer, 502, 'device_error').deviceError.code).toBe('invalid_answer');
      expect(other.status).toBe(200);
    }
    expect(cluster.running).toHaveLength(2);
  });
});
