import { setTimeout as sleep } from 'node:timers/promises';
import { NO_ANSWER } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { Cluster } from '../support/cluster';
import { EXPECTED_KEYS, expectNoLeaks } from '../support/leaks';
import { Scene } from '../support/scene';
import { timed } from '../support/timed';
import { statuses, Traffic } from '../support/traffic';

/** What a killed instance held goes when it is given up, or when it leads a call astray. */
const OF_THE_DEAD = /^relay:presence:/;

/** Instance 0 holds the device, instance 1 has the caller, instance 2 stands by. */
describe('an instance that fails during a relayed call', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start();
    scene = await Scene.start(cluster);
  });
  beforeEach(async () => {
    await Promise.all(cluster.instances.filter(({ isRunning }) => !isRunning).map((each) => each.start()));
  });
  afterEach(async () => {
    scene.close();
    await expectNoLeaks(cluster, [...EXPECTED_KEYS, OF_THE_DEAD]);
    expect(scene.executions.repeated).toEqual([]);
  });
  afterAll(async () => {
    if (cluster) await expectNoLeaks(cluster, EXPECTED_KEYS, 20_000).finally(() => cluster.stop());
  });

  const owner = () => cluster.instance(0);
  const origin = () => cluster.instance(1);
  const invoke = (id: string, body = {}, options = {}) => scene.invoke(id, body, options, origin().http);

  it('is the owner, killed: 502 within 1.5 seconds, then 503 until the device is back', async () => {
    const machine = await scene.machine(owner(), () => NO_ANSWER);
    const call = timed(() => invoke(machine.id));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    await sleep(300);
    const killedAt = performance.now();
    await owner().kill();
    const { answer, endedAt } = await call;
    expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - killedAt).toBeLessThan(1_500);

    const { answer: next, tookMs } = await timed(() => invoke(machine.id));
    expect(next.status).toBe(503);
    expect(next.body.outcome).toBe('not_delivered');
    expect(tookMs).toBeLessThan(1_000);
    await scene.connect(machine.device, cluster.instance(2));
    expect((await invoke(machine.id)).status).toBe(200);
  });

  it('is the owner, killed: its devices read as offline when it is given up', async () => {
    const machine = await scene.machine(owner());
    const state = async () =>
      ok(await origin().http.get(`/external/v1/machines/${machine.id}`, scene.token), 200).data.state;
    await eventually(async () => expect(await state()).toBe('online'));
    await owner().kill();
    await eventually(async () => expect(await state()).toBe('offline'), 20_000);
  });

  it('is the owner, frozen: 502 within 2.5 seconds; thawed, it refuses what it finds', async () => {
    const machine = await scene.machine(owner());
    await invoke(machine.id);
    owner().freeze();
    const calls = await Promise.all([0, 1, 2].map(() => timed(() => invoke(machine.id, { command: 'frozen' }))));
    for (const { answer, tookMs } of calls) {
      expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
      expect(tookMs).toBeLessThan(2_500);
    }
    owner().thaw();
    await eventually(async () => expect(await owner().metric('relay_expired_calls_total')).toBe(3));
    expect(scene.executions.marked('frozen')).toBe(0);
    await eventually(async () => expect((await invoke(machine.id)).status).toBe(200));
  });

  it('is the owner, frozen while the device works: 502 within 2.5 seconds', async () => {
    const machine = await scene.machine(owner(), () => NO_ANSWER);
    const call = timed(() => invoke(machine.id));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    await sleep(1_500);
    const frozenAt = performance.now();
    owner().freeze();
    const { answer, endedAt } = await call;
    expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(endedAt - frozenAt).toBeLessThan(2_500);
    owner().thaw();
    machine.socket.close();
  });

  it('is the owner, frozen until it is given up: thawed, it has its devices again', async () => {
    const machine = await scene.machine(owner());
    const state = async () =>
      ok(await origin().http.get(`/external/v1/machines/${machine.id}`, scene.token), 200).data.state;
    await eventually(async () => expect(await state()).toBe('online'));
    owner().freeze();
    await eventually(async () => expect(await state()).toBe('offline'), 19_000);
    owner().thaw();
    await eventually(async () => {
      expect((await invoke(machine.id)).status).toBe(200);
      expect(await state()).toBe('online');
    }, 5_000);
    expect(machine.socket.socket.connected).toBe(true);
  });

  it('is another instance, frozen: nothing happens', async () => {
    const machine = await scene.machine(owner(), () => sleep(600, { ok: true, result: {} }));
    cluster.instance(2).freeze();
    const traffic = new Traffic(() => invoke(machine.id), 4);
    await sleep(3_000);
    expect(Object.keys(statuses(await traffic.stop()))).toEqual(['200']);
    cluster.instance(2).thaw();
  });

  it('is the origin, killed: the device is told to cancel, and the call is audited', async () => {
    const machine = await scene.machine(owner(), () => NO_ANSWER);
    const call = invoke(machine.id).catch(() => 'no answer');
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    await origin().kill();
    expect(await call).toBe('no answer');
    const { requestId } = machine.socket.requests[0];
    const cancel = { requestId, reason: 'origin_gone' };
    await eventually(() => expect(machine.socket.cancels).toEqual([cancel]), 6_000);
    await eventually(async () => {
      const path = `/v1/relay-calls/${requestId}`;
      const { data } = ok(await owner().http.get(path, scene.ada.token), 200);
      expect(data).toMatchObject({
        requestId,
        method: 'machine.invoke',
        deviceId: machine.device.id,
        machineId: machine.id,
        tokenId: scene.tokenId,
        status: 502,
        outcome: 'unknown',
      });
    });
    machine.socket.close();
  });

  it('is the origin of a call with a key, killed: it runs once, and the key says that nobody knows', async () => {
    const machine = await scene.machine(owner(), () => sleep(1_500, { ok: true, result: {} }));
    const keyed = { headers: { 'Idempotency-Key': 'orphan' } };
    const call = invoke(machine.id, { command: 'orphan' }, keyed).catch(() => 'no answer');
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    await origin().kill();
    expect(await call).toBe('no answer');
    const again = () => scene.invoke(machine.id, { command: 'orphan' }, keyed, owner().http);
    problem(await again(), 409, 'idempotency_in_progress');
    await eventually(async () => {
      const answer = await again();
      expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
      expect(answer.headers.get('idempotency-replayed')).toBe('true');
    }, 15_000);
    expect(machine.socket.cancels).toEqual([]);
    expect(scene.executions.marked('orphan')).toBe(1);
  });
});
