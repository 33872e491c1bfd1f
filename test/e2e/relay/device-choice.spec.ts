import { NO_RESPONSE, type DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

describe('the device of a relayed call', () => {
  let fixture: RelayFixture;
  let phone: ForeignDevice;
  let open: DeviceSocket[];

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    phone = await fixture.ada.pairDevice('account', 'phone');
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(async () => {
    for (const socket of open) socket.close();
    await waitFor(async () => {
      const { body } = await fixture.service.http.get('/v1/devices', fixture.ada.token);
      expect(body.data.some((device: { state: string }) => device.state === 'online')).toBe(false);
    });
  });
  afterAll(() => fixture?.stop());

  async function machine(capabilities?: string[]): Promise<ConnectedMachine> {
    const made = await fixture.createMachine(capabilities);
    open.push(made.socket);
    return made;
  }

  async function online(device: ForeignDevice, capabilities = ['session.message']): Promise<DeviceSocket> {
    const socket = await fixture.connectDevice(device, capabilities);
    open.push(socket);
    return socket;
  }

  /** Sends a message and expects only this socket to receive it. */
  async function expectMessageAt(sessionId: string, expected: DeviceSocket): Promise<void> {
    const before = open.map((socket) => socket.requests.length);
    expect((await fixture.sendMessage(sessionId)).status).toBe(200);
    const reached = open.filter((socket, n) => socket.requests.length > before[n]!);
    expect(reached.map(({ socket }) => socket.id)).toEqual([expected.socket.id]);
  }

  it('is the session’s host, even if others are online', async () => {
    const host = await machine();
    const session = await fixture.ada.createSession(host.device, { machineId: host.id });
    await online(phone);
    await machine();
    await expectMessageAt(session.id, host.socket);
  });

  it('is the device of the session’s machine if the host is offline', async () => {
    const box = await machine();
    const session = await fixture.ada.createSession(fixture.ada, { machineId: box.id });
    await online(phone);
    await expectMessageAt(session.id, box.socket);
    await expectMessageAt(session.id, await online(fixture.ada));
  });

  it('is otherwise the account device with session.message that connected last', async () => {
    const { device } = await fixture.createOfflineMachine();
    const session = await fixture.ada.createSession(device);
    await machine();
    const first = await online(fixture.ada);
    await expectMessageAt(session.id, first);
    const second = await online(phone);
    await expectMessageAt(session.id, second);
    const tablet = await fixture.ada.pairDevice('account', 'tablet');
    await online(tablet, []);
    await expectMessageAt(session.id, second);
    await expectMessageAt(session.id, await online(fixture.ada));
  });

  it('skips a host without the capability', async () => {
    const host = await machine(['machine.invoke']);
    const session = await fixture.ada.createSession(host.device);
    expectProblem(await fixture.sendMessage(session.id), 503, 'no_online_device');
    await expectMessageAt(session.id, await online(phone));
    expect(host.socket.requests).toEqual([]);
  });

  it('is none at once if no online device can serve the call', async () => {
    const box = await machine(['session.message']);
    const { device, id } = await fixture.createOfflineMachine();
    await online(phone);
    for (const machineId of [box.id, id]) {
      const httpResponse = await fixture.expectSoonerThanCall(1, () => fixture.invokeMachine(machineId));
      expect(expectProblem(httpResponse, 503, 'no_online_device').outcome).toBe('not_delivered');
      expect(Number(httpResponse.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const session = await fixture.ada.createSession(device);
    open.pop()!.close();
    await waitFor(async () => expectProblem(await fixture.sendMessage(session.id), 503, 'no_online_device'));
    expect(box.socket.requests).toEqual([]);
  });

  it('is only the one that registered the machine', async () => {
    const one = await machine();
    const other = await machine();
    await fixture.invokeMachine(one.id);
    expect([one.socket.requests.length, other.socket.requests.length]).toEqual([1, 0]);
  });

  it('is never a second one after an error of the first', async () => {
    const host = await machine();
    const fallback = await online(phone);
    const session = await fixture.ada.createSession(host.device);
    host.socket.setHandler(() => ({ ok: false, error: { code: 'internal', message: 'x' } }));
    expectProblem(await fixture.sendMessage(session.id), 502, 'device_error');
    expect(fallback.requests).toEqual([]);
  });

  it('is never a second one if the first disconnects or is busy', async () => {
    const host = await machine();
    const fallback = await online(phone);
    const session = await fixture.ada.createSession(host.device);
    host.socket.setHandler(() => NO_RESPONSE);
    const calls = Array.from({ length: 16 }, () => fixture.sendMessage(session.id));
    await waitFor(() => expect(host.socket.requests).toHaveLength(16));
    expectProblem(await fixture.sendMessage(session.id), 429, 'device_busy');
    host.socket.close();
    for (const call of calls) expectProblem(await call, 502, 'device_disconnected');
    expect(fallback.requests).toEqual([]);
  });

  it('is never another account’s', async () => {
    const other = await fixture.ada.pairDevice('machine');
    const session = await fixture.ada.createSession(other);
    await online(await ForeignAccountDevice.signUp(fixture.service.http));
    expectProblem(await fixture.sendMessage(session.id), 503, 'no_online_device');
  });
});
