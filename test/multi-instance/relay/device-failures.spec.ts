import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { ClusterFixture } from '../support/cluster-fixture';
import { TcpProxy } from '../support/tcp-proxy';
import { timeCall } from '../support/timed-call';

/** Devices on one instance and callers on another. */
describe('a device that fails, seen from another instance', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2 });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture.close();
    await expectNoLeaks(cluster);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
  });
  afterAll(() => cluster?.stop());

  const holder = () => cluster.getInstance(0);
  const caller = () => cluster.getInstance(1).http;
  const invoke = (id: string, body = {}) => clusterFixture.invokeMachine(id, body, {}, caller());

  it('serves while it does not: the answer passes as it was sent', async () => {
    const result = { exitCode: 0, text: 'größer\u2028 \n "x"', deep: { list: [1, null, { a: 'b' }] } };
    const machine = await clusterFixture.createMachine(holder(), () => ({ ok: true, result }));
    const httpResponse = await invoke(machine.id, { command: 'ls', args: ['-l'] });
    expect(httpResponse).toMatchObject({ status: 200, body: { result } });
    expect(machine.socket.requests[0].params).toEqual({ command: 'ls', args: ['-l'], cwd: null });
    // Another instance writes its audit rows asynchronously.
    const audit = await waitFor(() => clusterFixture.readAuditRecord(httpResponse));
    expect(audit).toMatchObject({ deviceId: machine.device.id, outcome: 'answered', status: 200 });
    expect(audit.totalMs).toBeGreaterThanOrEqual(audit.deviceMs);
  });

  it('closes mid-call: 502 within a second, and what is known of it', async () => {
    const machine = await clusterFixture.createMachine(holder(), () => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id));
    await waitFor(() =>
      expect(clusterFixture.executionRecorder.countByRequestId(machine.socket.requests[0]?.requestId)).toBe(1),
    );
    const closedAt = performance.now();
    machine.socket.close();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expect(expectProblem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - closedAt).toBeLessThan(1_000);
    expectProblem(await invoke(machine.id), 503, 'no_online_device');
  });

  it('is killed mid-call: 502 within a second', async () => {
    const path = await TcpProxy.start(holder().port);
    const machine = await clusterFixture.createMachine({ url: `http://127.0.0.1:${path.port}` }, () => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    const killedAt = performance.now();
    await path.cutConnections();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expect(expectProblem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - killedAt).toBeLessThan(1_000);
  });

  it('is lost in silence: 502 within 20 seconds, by ping', async () => {
    const path = await TcpProxy.start(holder().port);
    const machine = await clusterFixture.createMachine({ url: `http://127.0.0.1:${path.port}` }, () => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id, { timeoutMs: 28_000 }));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    const lostAt = performance.now();
    path.blockTraffic();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expectProblem(answer, 502, 'device_disconnected');
    expect(endedAt - lostAt).toBeLessThan(20_500);
    await path.cutConnections();
  });

  it('never answers: 504 two seconds after its time, beside a healthy one that is not slowed', async () => {
    const silent = await clusterFixture.createMachine(holder(), () => NO_RESPONSE);
    const healthy = await clusterFixture.createMachine(holder());
    const call = timeCall(() => invoke(silent.id, { timeoutMs: 1_500 }));
    let served = 0;
    let slowest = 0;
    const deadline = performance.now() + 3_000;
    while (performance.now() < deadline) {
      const { httpResponse: answer, tookMs } = await timeCall(() => invoke(healthy.id));
      expect(answer.status).toBe(200);
      slowest = Math.max(slowest, tookMs);
      served += 1;
    }
    const { httpResponse: answer, tookMs } = await call;
    expect(expectProblem(answer, 504, 'timeout').outcome).toBe('unknown');
    expect(tookMs).toBeGreaterThan(3_400);
    expect(tookMs).toBeLessThan(4_500);
    expect(served).toBeGreaterThan(20);
    expect(slowest).toBeLessThan(1_000);
  });

  it('answers late: the caller keeps its 504, and the key gets the answer', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const work = () => released.then(() => ({ ok: true, result: { late: true } }));
    const machine = await clusterFixture.createMachine(holder(), work);
    const keyed = { headers: { 'Idempotency-Key': 'late' } };
    expectProblem(await clusterFixture.invokeMachine(machine.id, { timeoutMs: 1 }, keyed, caller()), 504, 'timeout');
    release();
    await waitFor(async () => {
      const again = await clusterFixture.invokeMachine(machine.id, { timeoutMs: 1 }, keyed, caller());
      expect(again).toMatchObject({ status: 200, body: { result: { late: true } } });
    });
    expect(await cluster.getInstance(1).sumMetric('relay_late_answers_total')).toBe(1);
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('has sixteen calls in flight: the next is refused, and a slot is free when one ends', async () => {
    const machine = await clusterFixture.createMachine(holder(), () => NO_RESPONSE);
    const calls = Array.from({ length: 16 }, () => invoke(machine.id, { timeoutMs: 1 }));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(16));
    expect(expectProblem(await invoke(machine.id), 429, 'device_busy').outcome).toBe('not_delivered');
    for (const call of calls) expectProblem(await call, 504, 'timeout');
    machine.socket.setHandler(() => ({ ok: true, result: {} }));
    expect((await invoke(machine.id)).status).toBe(200);
  });

  it('refuses a call that it is too busy for, which frees the key', async () => {
    const machine = await clusterFixture.createMachine(holder(), () => ({
      ok: false,
      error: { code: 'busy', message: 'The queue is full.' },
    }));
    const keyed = { headers: { 'Idempotency-Key': 'refused' } };
    const refused = await clusterFixture.invokeMachine(machine.id, {}, keyed, caller());
    expect(expectProblem(refused, 429, 'device_busy').outcome).toBe('not_delivered');
    expect(await clusterFixture.readAuditRecord(refused)).toMatchObject({ outcome: 'not_delivered' });
    machine.socket.setHandler(() => ({ ok: true, result: {} }));
    const again = await clusterFixture.invokeMachine(machine.id, {}, keyed, caller());
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  it('is notified when its caller closes the connection', async () => {
    const machine = await clusterFixture.createMachine(holder(), () => NO_RESPONSE);
    const hangUp = new AbortController();
    const call = clusterFixture
      .invokeMachine(machine.id, {}, { signal: hangUp.signal }, caller())
      .catch(() => undefined);
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    hangUp.abort();
    await call;
    const { requestId } = machine.socket.requests[0];
    await waitFor(() => expect(machine.socket.cancels).toEqual([{ requestId, reason: 'caller_gone' }]));
    machine.socket.close();
  });

  it('is revoked mid-call: 502 within a second, wherever it was revoked', async () => {
    const machine = await clusterFixture.createMachine(holder(), () => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    expectStatus(await caller().delete(`/v1/devices/${machine.device.id}`, clusterFixture.ada.token), 204);
    const revokedAt = performance.now();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expectProblem(answer, 502, 'device_disconnected');
    expect(endedAt - revokedAt).toBeLessThan(1_000);
    await machine.socket.disconnected;
    expectProblem(await invoke(machine.id), 503, 'no_online_device');
  });

  it('answers in hostile ways: 502 for that call alone', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
    const hostile = [
      () => ({ ok: true, result: { nested: nested(90) } }),
      () => ({ ok: true, result: { big: 'x'.repeat(3 * 1_048_576 + 1) } }),
      () => ({ ok: true, result: { binary: Buffer.from('binary') } }),
      () => 'nothing of the kind',
    ];
    const healthy = await clusterFixture.createMachine(holder());
    for (const work of hostile) {
      const machine = await clusterFixture.createMachine(holder(), work);
      const [answer, other] = await Promise.all([invoke(machine.id), invoke(healthy.id)]);
      expect(expectProblem(answer, 502, 'device_error').deviceError.code).toBe('invalid_answer');
      expect(other.status).toBe(200);
    }
    expect(cluster.runningInstances).toHaveLength(2);
  });
});
