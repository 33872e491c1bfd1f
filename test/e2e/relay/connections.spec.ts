import { setTimeout as sleep } from 'node:timers/promises';
import { NO_ANSWER, type DeviceSocket } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

const DAY = 86_400_000;

describe('the connections of a device', () => {
  let scene: RelayScene;
  let machine: Machine;

  beforeAll(async () => {
    scene = await RelayScene.start();
  });
  beforeEach(async () => {
    machine = await scene.machine();
  });
  afterEach(() => machine.socket.close());
  afterAll(() => scene?.stop());

  it('are one: the newest wins, and an idle older one is closed', async () => {
    const newer = await scene.connect(machine.device);
    await machine.socket.disconnected;
    expect((await scene.invoke(machine.id)).status).toBe(200);
    expect([machine.socket.requests.length, newer.requests.length]).toEqual([0, 1]);
  });

  it('let the superseded one finish what it does: one execution, then it closes', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    machine.socket.answerWith(() => released.then(() => ({ ok: true, result: { by: 'older' } })));
    const first = scene.invoke(machine.id);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const newer = await scene.connect(machine.device);
    newer.answerWith(() => ({ ok: true, result: { by: 'newer' } }));
    expect((await scene.invoke(machine.id)).body.result).toEqual({ by: 'newer' });
    expect(machine.socket.socket.connected).toBe(true);
    release();
    expect((await first).body.result).toEqual({ by: 'older' });
    await machine.socket.disconnected;
    expect([machine.socket.requests.length, newer.requests.length]).toEqual([1, 1]);
    expect((await scene.invoke(machine.id)).status).toBe(200);
  });

  it('cancel a call where it runs, on the superseded one', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const hangUp = new AbortController();
    const call = scene.invoke(machine.id, {}, { signal: hangUp.signal }).catch(() => undefined);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const newer = await scene.connect(machine.device);
    hangUp.abort();
    await call;
    await eventually(() => expect(machine.socket.cancels).toHaveLength(1));
    expect(newer.cancels).toEqual([]);
  });

  it('share the in-flight cap of their device', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const calls = Array.from({ length: 16 }, () => scene.invoke(machine.id, { timeoutMs: 1 }));
    await eventually(() => expect(machine.socket.requests).toHaveLength(16));
    await scene.connect(machine.device);
    problem(await scene.invoke(machine.id), 429, 'device_busy');
    for (const call of calls) problem(await call, 504, 'timeout');
    expect((await scene.invoke(machine.id)).status).toBe(200);
  });

  it('end within a second of the device being revoked, and with them its calls', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const call = scene.invoke(machine.id);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    ok(await scene.service.http.delete(`/v1/devices/${machine.device.id}`, scene.ada.token), 204);
    const revokedAt = performance.now();
    await machine.socket.disconnected;
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
    problem(await call, 502, 'device_disconnected');
    problem(await scene.invoke(machine.id), 503, 'no_online_device');
    await expect(scene.connect(machine.device)).rejects.toMatchObject({ data: { code: 'invalid_token' } });
  });

  it('stand while others are revoked', async () => {
    const other = await scene.ada.adopt('machine');
    ok(await scene.service.http.delete(`/v1/devices/${other.id}`, scene.ada.token), 204);
    await sleep(700);
    expect(machine.socket.socket.connected).toBe(true);
  });

  it('make no false 503 over 300 quick reconnects under calls', async () => {
    const machines = [machine, await scene.machine(), await scene.machine()];
    const sockets: DeviceSocket[] = [];
    const statuses = new Map<number, number>();
    let busy = true;
    const callers = machines.map(async ({ id }) => {
      while (busy) {
        const { status } = await scene.invoke(id);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await sleep(10);
      }
    });
    await Promise.all(
      machines.map(async ({ device }) => {
        for (let n = 0; n < 100; n++) sockets.push(await scene.connect(device));
      }),
    );
    busy = false;
    await Promise.all(callers);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(30);
    await eventually(() => {
      expect(sockets.filter(({ socket }) => socket.connected)).toHaveLength(machines.length);
    });
    for (const socket of sockets) socket.close();
  });

  it('end when their token does', async () => {
    const { device } = await scene.offlineMachine();
    const { tokenExpiresAt } = await device.signIn();
    const left = tokenExpiresAt - Date.now();
    expect(left).toBeGreaterThan(29 * DAY);
    scene.service.advance(left - 1_500);
    const connectedAt = performance.now();
    const socket = await scene.connect(device);
    await socket.disconnected;
    expect(performance.now() - connectedAt).toBeLessThan(2_500);
    await expect(scene.connect(device)).rejects.toMatchObject({ data: { code: 'invalid_token' } });
    await device.signIn();
    await expect(scene.connect(device)).resolves.toBeDefined();
  });
});
