import { setTimeout as sleep } from 'node:timers/promises';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { EXPECTED_REDIS_KEYS, expectNoLeaks } from '../support/leaks';
import { ClusterFixture } from '../support/cluster-fixture';
import { timeCall } from '../support/timed-call';
import { countStatuses, TrafficGenerator } from '../support/traffic-generator';

/** Presence of a killed instance is removed when the instance is declared dead, or when a call is routed to it. */
const DEAD_INSTANCE_KEYS = /^relay:presence:/;

/** Instance 0 has the device, instance 1 the caller, and instance 2 is a bystander. */
describe('an instance that fails during a relayed call', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start();
    clusterFixture = await ClusterFixture.start(cluster);
  });
  beforeEach(async () => {
    await Promise.all(cluster.instances.filter(({ isRunning }) => !isRunning).map((each) => each.start()));
  });
  afterEach(async () => {
    clusterFixture.close();
    await expectNoLeaks(cluster, [...EXPECTED_REDIS_KEYS, DEAD_INSTANCE_KEYS]);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
  });
  afterAll(async () => {
    if (!cluster) return;
    try {
      await expectNoLeaks(cluster, EXPECTED_REDIS_KEYS, 20_000);
    } finally {
      await cluster.stop();
    }
  });

  const owner = () => cluster.getInstance(0);
  const origin = () => cluster.getInstance(1);
  const invoke = (id: string, body = {}, options = {}) =>
    clusterFixture.invokeMachine(id, body, options, origin().http);

  it('is the owner, killed: 502 within 1.5 seconds, then 503 until the device is back', async () => {
    const machine = await clusterFixture.createMachine(owner(), () => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    await sleep(300);
    const killedAt = performance.now();
    await owner().killProcess();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expect(expectProblem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - killedAt).toBeLessThan(1_500);

    const { httpResponse: next, tookMs } = await timeCall(() => invoke(machine.id));
    expect(next.status).toBe(503);
    expect(next.body.outcome).toBe('not_delivered');
    expect(tookMs).toBeLessThan(1_000);
    await clusterFixture.connectDevice(machine.device, cluster.getInstance(2));
    expect((await invoke(machine.id)).status).toBe(200);
  });

  it('is the owner, killed: its devices read as offline when it is given up', async () => {
    const machine = await clusterFixture.createMachine(owner());
    const state = async () =>
      expectStatus(await origin().http.get(`/external/v1/machines/${machine.id}`, clusterFixture.token), 200).data
        .state;
    await waitFor(async () => expect(await state()).toBe('online'));
    await owner().killProcess();
    await waitFor(async () => expect(await state()).toBe('offline'), 20_000);
  });

  it('is the owner, frozen: 502 within 2.5 seconds; thawed, it refuses what it finds', async () => {
    const machine = await clusterFixture.createMachine(owner());
    await invoke(machine.id);
    owner().suspendProcess();
    const calls = await Promise.all([0, 1, 2].map(() => timeCall(() => invoke(machine.id, { command: 'frozen' }))));
    for (const { httpResponse: answer, tookMs } of calls) {
      expect(expectProblem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
      expect(tookMs).toBeLessThan(2_500);
    }
    owner().resumeProcess();
    await waitFor(async () => expect(await owner().sumMetric('relay_expired_calls_total')).toBe(3));
    expect(clusterFixture.executionRecorder.countByMark('frozen')).toBe(0);
    await waitFor(async () => expect((await invoke(machine.id)).status).toBe(200));
  });

  it('is the owner, frozen while the device works: 502 within 2.5 seconds', async () => {
    const machine = await clusterFixture.createMachine(owner(), () => NO_RESPONSE);
    const call = timeCall(() => invoke(machine.id));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    await sleep(1_500);
    const frozenAt = performance.now();
    owner().suspendProcess();
    const { httpResponse: answer, finishedAt: endedAt } = await call;
    expect(expectProblem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - frozenAt).toBeLessThan(2_500);
    owner().resumeProcess();
    machine.socket.close();
  });

  it('is the owner, frozen until it is given up: thawed, it has its devices again', async () => {
    const machine = await clusterFixture.createMachine(owner());
    const state = async () =>
      expectStatus(await origin().http.get(`/external/v1/machines/${machine.id}`, clusterFixture.token), 200).data
        .state;
    await waitFor(async () => expect(await state()).toBe('online'));
    owner().suspendProcess();
    await waitFor(async () => expect(await state()).toBe('offline'), 19_000);
    owner().resumeProcess();
    await waitFor(async () => {
      expect((await invoke(machine.id)).status).toBe(200);
      expect(await state()).toBe('online');
    }, 5_000);
    expect(machine.socket.socket.connected).toBe(true);
  });

  it('is another instance, frozen: nothing happens', async () => {
    const machine = await clusterFixture.createMachine(owner(), () => sleep(600, { ok: true, result: {} }));
    cluster.getInstance(2).suspendProcess();
    const trafficGenerator = new TrafficGenerator(() => invoke(machine.id), 4);
    await sleep(3_000);
    expect(Object.keys(countStatuses(await trafficGenerator.stopCallers()))).toEqual(['200']);
    cluster.getInstance(2).resumeProcess();
  });

  it('is the origin, killed: its device gets a cancellation, and the call is audited', async () => {
    const machine = await clusterFixture.createMachine(owner(), () => NO_RESPONSE);
    const call = invoke(machine.id).catch(() => 'no answer');
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    await origin().killProcess();
    expect(await call).toBe('no answer');
    const { requestId } = machine.socket.requests[0];
    const cancel = { requestId, reason: 'origin_gone' };
    await waitFor(() => expect(machine.socket.cancels).toEqual([cancel]), 6_000);
    await waitFor(async () => {
      const path = `/v1/relay-calls/${requestId}`;
      const { data } = expectStatus(await owner().http.get(path, clusterFixture.ada.token), 200);
      expect(data).toMatchObject({
        requestId,
        method: 'machine.invoke',
        deviceId: machine.device.id,
        machineId: machine.id,
        tokenId: clusterFixture.tokenId,
        status: 502,
        outcome: 'unknown',
      });
    });
    machine.socket.close();
  });

  it('is the origin of a call with a key, killed: the call runs once, and its retry is unknown', async () => {
    // The device answers after its origin has been declared dead, which takes three seconds.
    const machine = await clusterFixture.createMachine(owner(), () => sleep(5_000, { ok: true, result: {} }));
    const keyed = { headers: { 'Idempotency-Key': 'orphan' } };
    const call = invoke(machine.id, { command: 'orphan' }, keyed).catch(() => 'no answer');
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    await origin().killProcess();
    expect(await call).toBe('no answer');
    const again = () => clusterFixture.invokeMachine(machine.id, { command: 'orphan' }, keyed, owner().http);
    expectProblem(await again(), 409, 'idempotency_in_progress');
    await waitFor(async () => {
      const httpResponse = await again();
      expect(expectProblem(httpResponse, 502, 'device_disconnected').outcome).toBe('unknown');
      expect(httpResponse.headers.get('idempotency-replayed')).toBe('true');
    }, 15_000);
    expect(machine.socket.cancels).toEqual([]);
    expect(clusterFixture.executionRecorder.countByMark('orphan')).toBe(1);
  });
});
