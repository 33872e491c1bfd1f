import { TokenVerifiers } from '../../../src/auth';
import { DeviceSocket } from '../../support/device/device-socket';
import { ok, type ForeignDevice } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { RelayScene } from '../../support/relay-scene';

describe('the handshake of a device', () => {
  let scene: RelayScene;
  let machine: { device: ForeignDevice; id: string };

  beforeAll(async () => {
    scene = await RelayScene.start();
    machine = await scene.offlineMachine();
  });
  afterAll(() => scene?.stop());

  /** The code of the refusal, or "connected". */
  function attempt(token: unknown, capabilities?: unknown): Promise<string> {
    return DeviceSocket.connect(scene.service.url, token, capabilities).then(
      (socket) => {
        socket.close();
        return 'connected';
      },
      (error) => error.data?.code,
    );
  }

  it.each([['garbage'], [''], [null], [7], [{}], [['svc_dev_x']], [`svc_dev_${'x'.repeat(36)}`]])(
    'is refused for the token %j',
    async (token) => {
      expect(await attempt(token)).toBe('invalid_token');
    },
  );

  it('is refused for a personal access token', async () => {
    expect(await attempt(scene.token)).toBe('invalid_token');
  });

  it('is refused for a revoked device', async () => {
    const revoked = await scene.ada.adopt('machine');
    ok(await scene.service.http.delete(`/v1/devices/${revoked.id}`, scene.ada.token), 204);
    expect(await attempt(revoked.token)).toBe('invalid_token');
  });

  it.each([
    ['machine.invoke of an account device', 'account', ['machine.invoke'], 'forbidden'],
    ['both of an account device', 'account', ['session.message', 'machine.invoke'], 'forbidden'],
    ['session.message of an account device', 'account', ['session.message'], 'connected'],
    ['both of a machine device', 'machine', ['session.message', 'machine.invoke'], 'connected'],
    ['none', 'machine', [], 'connected'],
    ['the same twice', 'machine', ['machine.invoke', 'machine.invoke'], 'connected'],
    ['one that is none', 'machine', ['machine.reboot'], 'invalid_request'],
    ['what is no list', 'machine', 'machine.invoke', 'invalid_request'],
    ['another type', 'machine', [7], 'invalid_request'],
  ])('judges the capabilities: %s', async (_, kind, capabilities, outcome) => {
    const { token } = kind === 'account' ? scene.ada : machine.device;
    expect(await attempt(token, capabilities)).toBe(outcome);
  });

  it('answers with hello: the server’s time and who the device is', async () => {
    scene.service.advance(5_000_000);
    const before = scene.service.deviceTime;
    const { hello } = await scene.connect(machine.device);
    expect(hello).toEqual({
      serverTime: expect.any(Number),
      deviceId: machine.device.id,
      machineId: machine.id,
    });
    expect(hello.serverTime).toBeGreaterThanOrEqual(before - 5);
    expect(hello.serverTime).toBeLessThanOrEqual(scene.service.deviceTime + 5);
  });

  it('names no machine to a device that registered none', async () => {
    const { hello } = await scene.connect(await scene.ada.adopt('machine'));
    expect(hello).not.toHaveProperty('machineId');
    const phone = await scene.connect(scene.ada, ['session.message']);
    expect(phone.hello).toEqual({ serverTime: expect.any(Number), deviceId: scene.ada.id });
  });

  it('takes WebSocket alone: polling is refused', async () => {
    const path = '/v1/devices/socket/?EIO=4&transport=polling';
    for (const method of ['GET', 'POST']) {
      const answer = await scene.service.http.request(method, path);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).not.toContain('sid');
    }
  });

  it('waits its turn, and is to be tried again where a thousand wait already', async () => {
    const verifiers = scene.service.app.get(TokenVerifiers, { strict: false });
    const verify = verifiers.verify.bind(verifiers);
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let underWay = 0;
    const slow = jest.spyOn(verifiers, 'verify').mockImplementation(async (...of) => {
      underWay++;
      await opened;
      return verify(...of);
    });
    try {
      const refused: string[] = [];
      const note = (outcome: string) => outcome !== 'connected' && refused.push(outcome);
      for (let n = 0; n < 1_020; n++) void attempt(machine.device.token).then(note);
      await eventually(() => expect(refused).toHaveLength(8), 20_000);
      expect(new Set(refused)).toEqual(new Set(['service_unavailable']));
      expect(underWay).toBe(12);
      open();
      await eventually(() => expect(underWay).toBe(1_012), 20_000);
      expect(refused).toHaveLength(8);
    } finally {
      open();
      slow.mockRestore();
    }
  });
});
