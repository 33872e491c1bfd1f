import { createBackend, type Backend } from '../../support/backend';
import { query } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';
import { Service } from '../../support/service';

describe('a clean stop', () => {
  let backend: Backend;
  let scene: RelayScene;
  let machine: Machine;
  let release: () => void;

  beforeEach(async () => {
    backend = await createBackend();
    scene = await RelayScene.start({}, backend);
    machine = await scene.machine();
    const released = new Promise<void>((resolve) => (release = resolve));
    machine.socket.answerWith(() => released.then(() => ({ ok: true, result: { finished: true } })));
  });
  afterEach(() => backend?.dispose());

  it('finishes what is in flight, takes nothing new, and says so to load balancers', async () => {
    const { service } = scene;
    for (let n = 0; n < 4; n++) await scene.machine();
    expect((await service.http.get('/health/ready')).status).toBe(200);
    const inFlight = scene.invoke(machine.id);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));

    const closed = service.app.close();
    await eventually(async () => expect((await service.http.get('/health/ready')).status).toBe(503));
    const refused = await scene.invoke(machine.id);
    expect(problem(refused, 503, 'service_unavailable').outcome).toBe('not_delivered');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const { device } = machine;
    await expect(scene.connect(device)).rejects.toMatchObject({ data: { code: 'service_unavailable' } });
    expect((await service.http.get('/health/live')).status).toBe(200);

    release();
    const answer = await inFlight;
    expect(answer.status).toBe(200);
    expect(answer.body.result).toEqual({ finished: true });
    await closed;
    await machine.socket.disconnected;
    await expect(service.http.get('/health/live')).rejects.toThrow();
    expect(machine.socket.requests).toHaveLength(1);
    // Every device was written offline before the database went.
    expect(service.logs.filter((line) => line.includes('presence was not written'))).toEqual([]);
  });

  it('keeps the answer of a keyed call whose caller has gone', async () => {
    const options = { headers: { 'Idempotency-Key': 'drained' } };
    const hangUp = new AbortController();
    const call = scene.invoke(machine.id, {}, { ...options, signal: hangUp.signal }).catch(() => undefined);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    hangUp.abort();
    await call;
    const closed = scene.service.app.close();
    release();
    await closed;
    const next = await Service.start({}, backend);
    const socket = await DeviceSocket.connect(next.url, machine.device.token, ['machine.invoke']);
    const path = `/external/v1/machines/${machine.id}/invoke`;
    const answer = await next.http.post(path, scene.token, { command: 'true' }, options);
    expect(answer.body.result).toEqual({ finished: true });
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(socket.requests).toEqual([]);
    const [row] = await query<{ state: string }>(next, 'SELECT count(*)::int AS n FROM relay_calls');
    expect(row).toEqual({ n: 1 });
    socket.close();
    await next.app.close();
  });
});
