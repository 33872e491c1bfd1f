import { NO_ANSWER, type DeviceSocket } from '../../support/device/device-socket';
import { AccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

describe('the device of a relayed call', () => {
  let scene: RelayScene;
  let phone: ForeignDevice;
  let open: DeviceSocket[];

  beforeAll(async () => {
    scene = await RelayScene.start();
    phone = await scene.ada.adopt('account', 'phone');
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(async () => {
    for (const socket of open) socket.close();
    await eventually(async () => {
      const { body } = await scene.service.http.get('/v1/devices', scene.ada.token);
      expect(body.data.some((device: { state: string }) => device.state === 'online')).toBe(false);
    });
  });
  afterAll(() => scene?.stop());

  async function machine(capabilities?: string[]): Promise<Machine> {
    const made = await scene.machine(capabilities);
    open.push(made.socket);
    return made;
  }

  async function online(device: ForeignDevice, capabilities = ['session.message']): Promise<DeviceSocket> {
    const socket = await scene.connect(device, capabilities);
    open.push(socket);
    return socket;
  }

  /** Sends a message and expects this socket, and no other, to be given it. */
  async function expectMessageAt(sessionId: string, expected: DeviceSocket): Promise<void> {
    const before = open.map((socket) => socket.requests.length);
    expect((await scene.message(sessionId)).status).toBe(200);
    const reached = open.filter((socket, n) => socket.requests.length > before[n]!);
    expect(reached).toEqual([expected]);
  }

  it('is the session’s host, whatever else is online', async () => {
    const host = await machine();
    const session = await scene.ada.openSession(host.device, { machineId: host.id });
    await online(phone);
    await machine();
    await expectMessageAt(session.id, host.socket);
  });

  it('is the device of the session’s machine where the host is offline', async () => {
    const box = await machine();
    const session = await scene.ada.openSession(scene.ada, { machineId: box.id });
    await online(phone);
    await expectMessageAt(session.id, box.socket);
    await expectMessageAt(session.id, await online(scene.ada));
  });

  it('is else the account device that connected last with session.message', async () => {
    const { device } = await scene.offlineMachine();
    const session = await scene.ada.openSession(device);
    await machine();
    const first = await online(scene.ada);
    await expectMessageAt(session.id, first);
    const second = await online(phone);
    await expectMessageAt(session.id, second);
    const tablet = await scene.ada.adopt('account', 'tablet');
    await online(tablet, []);
    await expectMessageAt(session.id, second);
    await expectMessageAt(session.id, await online(scene.ada));
  });

  it('passes over a host that did not declare the capability', async () => {
    const host = await machine(['machine.invoke']);
    const session = await scene.ada.openSession(host.device);
    problem(await scene.message(session.id), 503, 'no_online_device');
    await expectMessageAt(session.id, await online(phone));
    expect(host.socket.requests).toEqual([]);
  });

  it('is none, at once, where only devices are online that cannot serve the call', async () => {
    const box = await machine(['session.message']);
    const { device, id } = await scene.offlineMachine();
    await online(phone);
    const startedAt = performance.now();
    for (const machineId of [box.id, id]) {
      const answer = await scene.invoke(machineId);
      expect(problem(answer, 503, 'no_online_device').outcome).toBe('not_delivered');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    const session = await scene.ada.openSession(device);
    open.pop()!.close();
    await eventually(async () => problem(await scene.message(session.id), 503, 'no_online_device'));
    expect(box.socket.requests).toEqual([]);
  });

  it('is only the one that registered the machine', async () => {
    const one = await machine();
    const other = await machine();
    await scene.invoke(one.id);
    expect([one.socket.requests.length, other.socket.requests.length]).toEqual([1, 0]);
  });

  it('is never a second one: not when the first answers with an error', async () => {
    const host = await machine();
    const fallback = await online(phone);
    const session = await scene.ada.openSession(host.device);
    host.socket.answerWith(() => ({ ok: false, error: { code: 'internal', message: 'x' } }));
    problem(await scene.message(session.id), 502, 'device_error');
    expect(fallback.requests).toEqual([]);
  });

  it('is never a second one: not when the first goes away or is busy', async () => {
    const host = await machine();
    const fallback = await online(phone);
    const session = await scene.ada.openSession(host.device);
    host.socket.answerWith(() => NO_ANSWER);
    const calls = Array.from({ length: 16 }, () => scene.message(session.id));
    await eventually(() => expect(host.socket.requests).toHaveLength(16));
    problem(await scene.message(session.id), 429, 'device_busy');
    host.socket.close();
    for (const call of calls) problem(await call, 502, 'device_disconnected');
    expect(fallback.requests).toEqual([]);
  });

  it('is never another account’s', async () => {
    const other = await scene.ada.adopt('machine');
    const session = await scene.ada.openSession(other);
    await online(await AccountDevice.signUp(scene.service.http));
    problem(await scene.message(session.id), 503, 'no_online_device');
  });
});
