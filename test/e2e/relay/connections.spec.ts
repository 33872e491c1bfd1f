import { setTimeout as sleep } from 'node:timers/promises';
import { DAY, MINUTE } from '../../../src/common/clock';
import { SharedRevocationsService } from '../../../src/modules/device-gateway/revocations/shared-revocations.service';
import { NO_RESPONSE, type DeviceSocket } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

describe('the connections of a device', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;

  /** Resolves when the credentials of all sockets have been checked: that of a revoked device is closed then. */
  const awaitCheck = async () => {
    const other = await fixture.ada.pairDevice('machine');
    const socket = await fixture.connectDevice(other);
    expectStatus(await fixture.service.http.delete(`/v1/devices/${other.id}`, fixture.ada.token), 204);
    await waitFor(() => expect(socket.socket.connected).toBe(false), 20_000);
  };

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    connectedMachine = await fixture.createMachine();
  });
  afterEach(() => connectedMachine.socket.close());
  afterAll(() => fixture?.stop());

  it('are replaced by the newest one, which closes an idle older one after telling it', async () => {
    const notices: string[] = [];
    for (const event of ['relay:replaced', 'relay:drain'])
      connectedMachine.socket.socket.on(event, () => notices.push(event));
    const newer = await fixture.connectDevice(connectedMachine.device);
    await connectedMachine.socket.disconnected;
    expect(notices).toEqual(['relay:replaced']);
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
    expect([connectedMachine.socket.requests.length, newer.requests.length]).toEqual([0, 1]);
  });

  it('let a superseded one finish its call once before it closes', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: { by: 'older' } })));
    const first = fixture.invokeMachine(connectedMachine.id);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    const newer = await fixture.connectDevice(connectedMachine.device);
    newer.setHandler(() => ({ ok: true, result: { by: 'newer' } }));
    expect((await fixture.invokeMachine(connectedMachine.id)).body.result).toEqual({ by: 'newer' });
    expect(connectedMachine.socket.socket.connected).toBe(true);
    release();
    expect((await first).body.result).toEqual({ by: 'older' });
    await connectedMachine.socket.disconnected;
    expect([connectedMachine.socket.requests.length, newer.requests.length]).toEqual([1, 1]);
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
  });

  it('cancel a call on the superseded one that runs it', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const hangUp = new AbortController();
    const call = fixture.invokeMachine(connectedMachine.id, {}, { signal: hangUp.signal }).catch(() => undefined);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    const newer = await fixture.connectDevice(connectedMachine.device);
    hangUp.abort();
    await call;
    await waitFor(() => expect(connectedMachine.socket.cancels).toHaveLength(1));
    expect(newer.cancels).toEqual([]);
  });

  it('share the limit of calls in flight of their device', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const calls = Array.from({ length: 16 }, () => fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }));
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(16));
    await fixture.connectDevice(connectedMachine.device);
    expectProblem(await fixture.invokeMachine(connectedMachine.id), 429, 'device_busy');
    for (const call of calls) expectProblem(await call, 504, 'timeout');
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
  });

  it('end with their calls within a second of the device’s revocation', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const call = fixture.invokeMachine(connectedMachine.id);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    expectStatus(
      await fixture.service.http.delete(`/v1/devices/${connectedMachine.device.id}`, fixture.ada.token),
      204,
    );
    // Checks begin every 500 ms and use a read of the last 300 ms, so the second one must end the socket.
    const checks = jest.spyOn(fixture.service.app.get(SharedRevocationsService, { strict: false }), 'findRevocations');
    await waitFor(() => expect(connectedMachine.socket.socket.connected).toBe(false), 20_000);
    expect(checks.mock.calls.length).toBeLessThanOrEqual(2);
    checks.mockRestore();
    expectProblem(await call, 502, 'device_disconnected');
    expectProblem(await fixture.invokeMachine(connectedMachine.id), 503, 'no_online_device');
    await expect(fixture.connectDevice(connectedMachine.device)).rejects.toMatchObject({
      data: { code: 'invalid_token' },
    });
  });

  it('stay open while other devices are revoked', async () => {
    await awaitCheck();
    expect(connectedMachine.socket.socket.connected).toBe(true);
  });

  it('cause no false 503 during 300 quick reconnects with calls', async () => {
    const machines = [connectedMachine, await fixture.createMachine(), await fixture.createMachine()];
    const sockets: DeviceSocket[] = [];
    const statuses = new Map<number, number>();
    let busy = true;
    const callers = machines.map(async ({ id }) => {
      while (busy) {
        const { status } = await fixture.invokeMachine(id);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await sleep(10);
      }
    });
    await Promise.all(
      machines.map(async ({ device }) => {
        for (let n = 0; n < 100; n++) sockets.push(await fixture.connectDevice(device));
      }),
    );
    busy = false;
    await Promise.all(callers);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(30);
    await waitFor(() => {
      expect(sockets.filter(({ socket }) => socket.connected)).toHaveLength(machines.length);
    });
    for (const socket of sockets) socket.close();
  });

  it('end with their token', async () => {
    const { device } = await fixture.createOfflineMachine();
    const { tokenExpiresAt } = await device.signIn();
    const left = tokenExpiresAt - Date.now();
    expect(left).toBeGreaterThan(29 * DAY);
    fixture.service.advanceClock(left - MINUTE);
    // The account's own token is older, and expires before that of the device.
    await fixture.ada.signIn();
    const socket = await fixture.connectDevice(device);
    await awaitCheck();
    expect(socket.socket.connected).toBe(true);
    fixture.service.advanceClock(MINUTE);
    await waitFor(() => expect(socket.socket.connected).toBe(false));
    await expect(fixture.connectDevice(device)).rejects.toMatchObject({ data: { code: 'invalid_token' } });
    await device.signIn();
    await expect(fixture.connectDevice(device)).resolves.toBeDefined();
  });
});
