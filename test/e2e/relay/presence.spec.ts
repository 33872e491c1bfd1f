import { query } from '../../support/database';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { RelayScene } from '../../support/relay-scene';

describe('the presence that callers read', () => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await RelayScene.start();
  });
  afterAll(() => scene?.stop());

  async function machineRecord(id: string, service = scene.service): Promise<any> {
    return ok(await service.http.get(`/external/v1/machines/${id}`, scene.token), 200).data;
  }

  async function deviceRecord(id: string, service = scene.service): Promise<any> {
    const { data } = ok(await service.http.get('/v1/devices?limit=200', scene.ada.token), 200);
    return data.find((device: { id: string }) => device.id === id);
  }

  it('is offline, never seen and without capabilities before the machine connects', async () => {
    const { device, id } = await scene.offlineMachine();
    expect(await machineRecord(id)).toMatchObject({ state: 'offline', lastSeenAt: null, capabilities: [] });
    expect(await deviceRecord(device.id)).toMatchObject({ state: 'offline' });
  });

  it('is online with what the device declared while it is connected, then offline and last seen', async () => {
    const before = Date.now();
    const { device, id, socket } = await scene.machine(['machine.invoke']);
    const online = await eventually(async () => {
      const record = await machineRecord(id);
      expect(record).toMatchObject({ state: 'online', capabilities: ['machine.invoke'] });
      return record;
    });
    expect(online.lastSeenAt).toBeGreaterThanOrEqual(before);
    expect(await deviceRecord(device.id)).toMatchObject({ state: 'online' });
    scene.service.advance(60_000);
    socket.close();
    const offline = await eventually(async () => {
      const record = await machineRecord(id);
      expect(record).toMatchObject({ state: 'offline', capabilities: ['machine.invoke'] });
      return record;
    });
    expect(offline.lastSeenAt).toBeGreaterThanOrEqual(before + 60_000);
    const seen = await deviceRecord(device.id);
    expect(seen.state).toBe('offline');
    expect(seen.lastSeenAt).toBeGreaterThanOrEqual(before + 60_000);
  });

  it('is filtered by state', async () => {
    const { id } = await scene.machine();
    const list = async (state: string): Promise<string[]> => {
      const { data } = ok(await scene.service.http.get(`/external/v1/machines?state=${state}`, scene.token), 200);
      return data.map((machine: { id: string }) => machine.id);
    };
    await eventually(async () => expect(await list('online')).toContain(id));
    expect(await list('offline')).not.toContain(id);
  });

  it('is online for a machine that registers after its device connected', async () => {
    const device = await scene.ada.adopt('machine');
    await scene.connect(device, ['machine.invoke']);
    const body = { name: 'late', platform: 'linux' };
    const { data } = ok(await scene.service.http.post('/v1/machines', device.token, body), 201);
    await eventually(async () => {
      expect(await machineRecord(data.id)).toMatchObject({
        state: 'online',
        capabilities: ['machine.invoke'],
      });
    });
    expect((await scene.invoke(data.id)).status).toBe(200);
  });

  it('stays online through quick reconnects, and follows the newest one’s capabilities', async () => {
    const { device, id } = await scene.machine();
    for (let n = 0; n < 10; n++) await scene.connect(device, ['session.message']);
    await eventually(async () => {
      expect(await machineRecord(id)).toMatchObject({ state: 'online', capabilities: ['session.message'] });
    });
  });

  it('is revoked for a revoked device, whose machine goes offline', async () => {
    const { device, id } = await scene.machine();
    ok(await scene.service.http.delete(`/v1/devices/${device.id}`, scene.ada.token), 204);
    await eventually(async () => expect((await machineRecord(id)).state).toBe('offline'));
    expect(await deviceRecord(device.id)).toMatchObject({ state: 'revoked' });
  });

  it('is offline for everything after a restart, a crash included', async () => {
    const connected = await scene.machine();
    await eventually(async () => expect((await machineRecord(connected.id)).state).toBe('online'));
    const crashed = await scene.offlineMachine();
    await query(scene.service, `UPDATE machines SET state = 'online'`);
    await query(scene.service, `UPDATE devices SET online = true WHERE revoked_at IS NULL`);
    const restarted = await scene.service.restart();
    try {
      for (const { id, device } of [connected, crashed]) {
        expect(await machineRecord(id, restarted)).toMatchObject({ state: 'offline' });
        expect(await deviceRecord(device.id, restarted)).toMatchObject({ state: 'offline' });
      }
      expect((await machineRecord(connected.id, restarted)).lastSeenAt).not.toBeNull();
    } finally {
      scene.service = restarted;
    }
  });
});
