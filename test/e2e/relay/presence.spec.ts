import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { RelayFixture } from '../../support/relay-fixture';

describe('the presence that callers read', () => {
  let fixture: RelayFixture;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  afterAll(() => fixture?.stop());

  async function machineRecord(id: string, service = fixture.service): Promise<any> {
    return expectStatus(await service.http.get(`/external/v1/machines/${id}`, fixture.token), 200).data;
  }

  async function deviceRecord(id: string, service = fixture.service): Promise<any> {
    const { data } = expectStatus(await service.http.get('/v1/devices?limit=200', fixture.ada.token), 200);
    return data.find((device: { id: string }) => device.id === id);
  }

  it('is offline, never seen and without capabilities before the machine connects', async () => {
    const { device, id } = await fixture.createOfflineMachine();
    expect(await machineRecord(id)).toMatchObject({ state: 'offline', lastSeenAt: null, capabilities: [] });
    expect(await deviceRecord(device.id)).toMatchObject({ state: 'offline' });
  });

  it('is online with the declared capabilities while connected, then offline with lastSeenAt', async () => {
    const before = Date.now();
    const { device, id, socket } = await fixture.createMachine(['machine.invoke']);
    const online = await waitFor(async () => {
      const record = await machineRecord(id);
      expect(record).toMatchObject({ state: 'online', capabilities: ['machine.invoke'] });
      return record;
    });
    expect(online.lastSeenAt).toBeGreaterThanOrEqual(before);
    expect(await deviceRecord(device.id)).toMatchObject({ state: 'online' });
    fixture.service.advanceClock(60_000);
    socket.close();
    const offline = await waitFor(async () => {
      const record = await machineRecord(id);
      expect(record).toMatchObject({ state: 'offline', capabilities: ['machine.invoke'] });
      return record;
    });
    expect(offline.lastSeenAt).toBeGreaterThanOrEqual(before + 60_000);
    const seen = await deviceRecord(device.id);
    expect(seen.state).toBe('offline');
    expect(seen.lastSeenAt).toBeGreaterThanOrEqual(before + 60_000);
  });

  it('can be filtered by state', async () => {
    const { id } = await fixture.createMachine();
    const list = async (state: string): Promise<string[]> => {
      const { data } = expectStatus(
        await fixture.service.http.get(`/external/v1/machines?state=${state}`, fixture.token),
        200,
      );
      return data.map((machine: { id: string }) => machine.id);
    };
    await waitFor(async () => expect(await list('online')).toContain(id));
    expect(await list('offline')).not.toContain(id);
  });

  it('is online for a machine that registers after its device connected', async () => {
    const device = await fixture.ada.pairDevice('machine');
    await fixture.connectDevice(device, ['machine.invoke']);
    const body = { name: 'late', platform: 'linux' };
    const { data } = expectStatus(await fixture.service.http.post('/v1/machines', device.token, body), 201);
    await waitFor(async () => {
      expect(await machineRecord(data.id)).toMatchObject({
        state: 'online',
        capabilities: ['machine.invoke'],
      });
    });
    expect((await fixture.invokeMachine(data.id)).status).toBe(200);
  });

  it('stays online through quick reconnects, with the newest capabilities', async () => {
    const { device, id } = await fixture.createMachine();
    for (let n = 0; n < 10; n++) await fixture.connectDevice(device, ['session.message']);
    await waitFor(async () => {
      expect(await machineRecord(id)).toMatchObject({ state: 'online', capabilities: ['session.message'] });
    });
  });

  it('is revoked for a revoked device, whose machine goes offline', async () => {
    const { device, id } = await fixture.createMachine();
    expectStatus(await fixture.service.http.delete(`/v1/devices/${device.id}`, fixture.ada.token), 204);
    await waitFor(async () => expect((await machineRecord(id)).state).toBe('offline'));
    expect(await deviceRecord(device.id)).toMatchObject({ state: 'revoked' });
  });

  it('is offline after a restart, even after a crash', async () => {
    const connected = await fixture.createMachine();
    await waitFor(async () => expect((await machineRecord(connected.id)).state).toBe('online'));
    const crashed = await fixture.createOfflineMachine();
    await queryDatabase(
      fixture.service,
      `INSERT INTO device_presence (device_id, online, instance, epoch, capabilities)
       SELECT id, true, (SELECT max(id) FROM instances), 1, '{}' FROM devices WHERE revoked_at IS NULL
       ON CONFLICT (device_id) DO UPDATE SET online = true, instance = excluded.instance`,
    );
    const restarted = await fixture.service.restart();
    try {
      for (const { id, device } of [connected, crashed]) {
        expect(await machineRecord(id, restarted)).toMatchObject({ state: 'offline' });
        expect(await deviceRecord(device.id, restarted)).toMatchObject({ state: 'offline' });
      }
      expect((await machineRecord(connected.id, restarted)).lastSeenAt).not.toBeNull();
      // Its turns are lost from then on, not from its connection.
      expect((await deviceRecord(crashed.device.id, restarted)).lastSeenAt).not.toBeNull();
    } finally {
      fixture.service = restarted;
    }
  });
});
