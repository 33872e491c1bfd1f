import { TokenVerifierRegistry } from '../../../src/access/auth';
import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { RelayFixture } from '../../support/relay-fixture';

const MACHINE_CAPABILITIES = [
  'machine.invoke',
  'session.start',
  'session.grant',
  'session.resume',
  'agent.sessions',
  'invocation',
];
const ACCOUNT_CAPABILITIES = [
  'session.message',
  'session.sealed',
  'session.attachments',
  'session.cancel',
  'session.permission',
  'session.question',
  'permission.message',
  'session.options',
  'session.end',
  'session.busy',
  'session.watch',
  'session.progress',
  'session.unprompted',
  'turn.details',
];

describe('the handshake of a device', () => {
  let fixture: RelayFixture;
  let machine: { device: ForeignDevice; id: string };

  beforeAll(async () => {
    fixture = await RelayFixture.start({ UNJOINED_SOCKETS_PER_ADDRESS: '2000' });
    machine = await fixture.createOfflineMachine();
  });
  afterAll(() => fixture?.stop());

  /** Returns the error code, or "connected". */
  function attempt(token: unknown, capabilities?: unknown): Promise<string> {
    return DeviceSocket.connect(fixture.service.url, token, capabilities).then(
      (socket) => {
        socket.close();
        return 'connected';
      },
      (error) => error.data?.code ?? `HTTP ${/\d+$/.exec(error.description?.message)?.[0]}`,
    );
  }

  it.each([['garbage'], [''], [null], [7], [{}], [['svc_dev_x']], [`svc_dev_${'x'.repeat(36)}`]])(
    'is rejected for the token %j',
    async (token) => {
      expect(await attempt(token)).toBe('invalid_token');
    },
  );

  it('is rejected for a personal access token', async () => {
    expect(await attempt(fixture.token)).toBe('invalid_token');
  });

  it('is rejected for a revoked device', async () => {
    const revoked = await fixture.ada.pairDevice('machine');
    expectStatus(await fixture.service.http.delete(`/v1/devices/${revoked.id}`, fixture.ada.token), 204);
    expect(await attempt(revoked.token)).toBe('invalid_token');
  });

  it.each<[string, string, unknown, string]>([
    ...MACHINE_CAPABILITIES.map((name): [string, string, unknown, string] => [
      `${name} of an account device`,
      'account',
      [name],
      'forbidden',
    ]),
    ['both of an account device', 'account', ['session.message', 'machine.invoke'], 'forbidden'],
    ['session.message of an account device', 'account', ['session.message'], 'connected'],
    ['both of a machine device', 'machine', ['session.message', 'machine.invoke'], 'connected'],
    ['all others of an account device', 'account', ACCOUNT_CAPABILITIES, 'connected'],
    ['all of a machine device', 'machine', [...ACCOUNT_CAPABILITIES, ...MACHINE_CAPABILITIES], 'connected'],
    ['none', 'machine', [], 'connected'],
    ['the same twice', 'machine', ['machine.invoke', 'machine.invoke'], 'connected'],
    ['an unknown one', 'machine', ['machine.reboot'], 'connected'],
    ['an unknown one beside one that the kind may not have', 'account', ['x', 'machine.invoke'], 'forbidden'],
    ['what is no list', 'machine', 'machine.invoke', 'invalid_request'],
    ['another type', 'machine', [7], 'invalid_request'],
  ])('validates the capabilities: %s', async (_, kind, capabilities, outcome) => {
    const { token } = kind === 'account' ? fixture.ada : machine.device;
    expect(await attempt(token, capabilities)).toBe(outcome);
  });

  it('ignores capabilities of a newer device and relays by those that the service knows', async () => {
    const newer = await fixture.createMachine(['machine.reboot', 'machine.invoke']);
    // The service records the presence after it has welcomed the device.
    await waitFor(async () => {
      const machine = await fixture.service.http.get(`/external/v1/machines/${newer.id}`, fixture.token);
      expect(machine.body.data).toMatchObject({ state: 'online', capabilities: ['machine.invoke'] });
    });
    expect(newer.socket.hello.capabilities).toEqual(['machine.invoke']);
    expectStatus(await fixture.invokeMachine(newer.id), 200);
  });

  it('returns hello with the server’s time, the device’s id and the accepted capabilities', async () => {
    fixture.service.advanceClock(5_000_000);
    const before = fixture.service.deviceTime;
    const { hello } = await fixture.connectDevice(machine.device);
    expect(hello).toEqual({
      serverTime: expect.any(Number),
      deviceId: machine.device.id,
      machineId: machine.id,
      capabilities: ['session.message', 'machine.invoke'],
    });
    expect(hello.serverTime).toBeGreaterThanOrEqual(before - 5);
    expect(hello.serverTime).toBeLessThanOrEqual(fixture.service.deviceTime + 5);
  });

  it('returns no machine id to a device without a machine', async () => {
    const { hello } = await fixture.connectDevice(await fixture.ada.pairDevice('machine'), []);
    expect(hello).not.toHaveProperty('machineId');
    expect(hello.capabilities).toEqual([]);
    const phone = await fixture.connectDevice(fixture.ada, ['session.message']);
    expect(phone.hello).toEqual({
      serverTime: expect.any(Number),
      deviceId: fixture.ada.id,
      capabilities: ['session.message'],
    });
  });

  it('accepts only WebSocket, not polling', async () => {
    const path = '/v1/devices/socket/?EIO=4&transport=polling';
    for (const method of ['GET', 'POST']) {
      const httpResponse = await fixture.service.http.request(method, path);
      expect(httpResponse.status).toBe(400);
      expect(JSON.stringify(httpResponse.body)).not.toContain('sid');
    }
  });

  it('is rejected while a thousand sockets have not joined', async () => {
    const verifiers = fixture.service.app.get(TokenVerifierRegistry, { strict: false });
    const verify = verifiers.verifyToken.bind(verifiers);
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let underWay = 0;
    const slow = jest.spyOn(verifiers, 'verifyToken').mockImplementation(async (...of) => {
      underWay++;
      await opened;
      return verify(...of);
    });
    try {
      const refused: string[] = [];
      const note = (outcome: string) => outcome !== 'invalid_token' && refused.push(outcome);
      // Sockets that joined would replace each other a thousand times, which takes long and is not the subject.
      for (let n = 0; n < 1_008; n++) void attempt('garbage').then(note);
      await waitFor(() => expect(refused).toHaveLength(8), 60_000);
      expect(new Set(refused)).toEqual(new Set(['HTTP 503']));
      expect(underWay).toBe(12);
      open();
      await waitFor(() => expect(underWay).toBe(1_000), 60_000);
      expect(refused).toHaveLength(8);
    } finally {
      open();
      slow.mockRestore();
    }
  }, 150_000);
});
