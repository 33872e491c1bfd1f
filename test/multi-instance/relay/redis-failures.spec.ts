import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { ClusterFixture } from '../support/cluster-fixture';
import { timeCall } from '../support/timed-call';

describe('Redis, failing under relayed calls', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, redis: 'proxied' });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture.close();
    expect(cluster.runningInstances).toHaveLength(2);
    await waitFor(async () => {
      for (const { http } of cluster.runningInstances) expect((await http.get('/health/ready')).status).toBe(200);
    }, 10_000);
    await expectNoLeaks(cluster);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
  });
  afterAll(() => cluster?.stop());

  const via = (index: number) => cluster.getInstance(index).http;
  const invoke = (id: string, from: number, body = {}) => clusterFixture.invokeMachine(id, body, {}, via(from));

  it('is down: 503 at once for devices elsewhere, while those of the same instance serve', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    await cluster.redis.process.killProcess();
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(503));
    for (let n = 0; n < 5; n++) {
      const { httpResponse: answer, tookMs } = await timeCall(() => invoke(machine.id, 1));
      expect(expectProblem(answer, 503, 'relay_unavailable').outcome).toBe('not_delivered');
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(tookMs).toBeLessThan(500);
      expect((await invoke(machine.id, 0)).status).toBe(200);
    }
    await cluster.redis.process.restartEmpty();
    const backAt = performance.now();
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200));
    expect(performance.now() - backAt).toBeLessThan(2_000);
  });

  it('loses a device’s new connection and comes back with the old one: the new one is reached', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    await cluster.redis.process.saveSnapshot();
    await cluster.redis.process.killProcess();
    const newer = await clusterFixture.connectDevice(machine.device, cluster.getInstance(1), () => ({
      ok: true,
      result: { by: 'newer' },
    }));
    await cluster.redis.process.restartFromSnapshot();
    await waitFor(async () => {
      for (const from of [0, 1]) {
        expect((await invoke(machine.id, from)).body.result).toEqual({ by: 'newer' });
      }
    });
    await machine.socket.disconnected;
    newer.close();
  });

  it('is restarted while a call runs: its answer arrives all the same', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0), () =>
      sleep(1_500, { ok: true, result: {} }),
    );
    const call = invoke(machine.id, 1);
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    await cluster.redis.process.killProcess();
    await cluster.redis.process.restartEmpty();
    expect((await call).status).toBe(200);
  });

  it('is unreachable without errors: no call sent meanwhile runs afterwards', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    cluster.redis.blockConnections();
    const calls = [0, 1, 2].map(() => timeCall(() => invoke(machine.id, 1, { command: 'swallowed' })));
    // The device could not be found, so nothing was sent.
    for (const { httpResponse: answer, tookMs } of await Promise.all(calls)) {
      expect(expectProblem(answer, 503, 'relay_unavailable').outcome).toBe('not_delivered');
      expect(tookMs).toBeLessThan(3_000);
    }
    const { httpResponse: answer, tookMs } = await timeCall(() => invoke(machine.id, 1, { command: 'swallowed' }));
    expect(expectProblem(answer, 503, 'relay_unavailable').outcome).toBe('not_delivered');
    expect(tookMs).toBeLessThan(1_000);
    expect((await invoke(machine.id, 0)).status).toBe(200);
    await cluster.redis.restoreConnections();
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 5_000);
    expect(clusterFixture.executionRecorder.countByMark('swallowed')).toBe(0);
  });

  it('is silent while a device comes and goes: the device does not stay online', async () => {
    const { device, id } = await clusterFixture.createOfflineMachine();
    cluster.redis.blockConnections();
    const socket = io(cluster.getInstance(0).url, {
      path: '/v1/devices/socket',
      transports: ['websocket'],
      reconnection: false,
      auth: { token: device.token, capabilities: ['machine.invoke'] },
    });
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    socket.close();
    // Longer than the instance waits for Redis.
    await sleep(2_000);
    const { data } = expectStatus(await via(0).get(`/external/v1/machines/${id}`, clusterFixture.token), 200);
    expect(data.state).toBe('offline');
    await cluster.redis.restoreConnections();
  });

  it('responds late: the relay continues with its first answer', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    expect((await invoke(machine.id, 1)).status).toBe(200);
    cluster.redis.blockConnections();
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(503));
    await cluster.redis.restoreConnections();
    // Well before the next renewal of the lease, which happens every two seconds.
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 500);
  });

  it('is lost only to the owner: the outcome is unknown, and nothing runs twice', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200));
    const before = machine.socket.requests.length;
    machine.socket.setHandler(() => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id, 1));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(before + 1));
    const lostAt = performance.now();
    cluster.getInstance(0).redisLink!.blockTraffic();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expect(expectProblem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - lostAt).toBeLessThan(3_000);
    await cluster.redis.restoreConnections();
    machine.socket.setHandler(() => ({ ok: true, result: {} }));
    await waitFor(async () => expect((await invoke(machine.id, 1)).status).toBe(200), 8_000);
  });

  it('delivers an answer twice: the first wins, and the other is counted as a duplicate', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const machine = await clusterFixture.createMachine(cluster.getInstance(0), () =>
      released.then(() => ({ ok: true, result: { real: true } })),
    );
    const call = invoke(machine.id, 1);
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    const callId = machine.socket.requests[0].requestId as string;
    const before = await cluster.getInstance(1).sumMetric('relay_duplicate_answers_total');
    const { repeated } = await cluster.redis.repeatMessage('"type":"answer"', callId);
    release();
    await repeated;
    expect((await call).body.result).toEqual({ real: true });
    await waitFor(async () => {
      expect(await cluster.getInstance(1).sumMetric('relay_duplicate_answers_total')).toBe(before + 1);
    });
  });
});
