import { createBackend, type Backend } from '../../support/backend';
import { query, tablesHolding } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';
import { Service } from '../../support/service';

const OLD_SECRET = 'the application secret of last year';
const NEW_SECRET = 'the application secret of this year';
const KEY = 'an-idempotency-key-nobody-else-has';
const OUTPUT = 'output-that-stays-sealed';

describe('calls under an Idempotency-Key, at rest', () => {
  let backend: Backend;
  let scene: RelayScene;
  let service: Service;
  let machine: Machine;

  beforeAll(async () => {
    backend = await createBackend();
    scene = await RelayScene.start({ APP_SECRET: OLD_SECRET }, backend);
    service = scene.service;
    machine = await scene.machine();
    machine.socket.answerWith(() => ({ ok: true, result: { stdout: OUTPUT } }));
  });
  afterAll(async () => {
    machine?.socket.close();
    await service?.stop();
  });

  const invoke = (key: string, body: object = { command: 'x' }) =>
    service.http.post(`/external/v1/machines/${machine.id}/invoke`, scene.token, body, {
      headers: { 'Idempotency-Key': key },
    });

  async function restart(secrets: string): Promise<void> {
    machine.socket.close();
    await service.app.close();
    service = await Service.start({ APP_SECRET: secrets }, backend);
    machine.socket = await DeviceSocket.connect(service.url, machine.device.token, ['machine.invoke']);
  }

  it('show neither key, command nor output in the database or the log', async () => {
    const body = { command: 'a-command-nobody-else-runs', args: ['an-argument-nobody-else-has'] };
    for (let n = 0; n < 2; n++) expect((await invoke(KEY, body)).body.result.stdout).toBe(OUTPUT);
    for (const secret of [KEY, OUTPUT, body.command, body.args[0]!]) {
      expect(await tablesHolding(service, secret)).toEqual([]);
      expect(service.logs.join('')).not.toContain(secret);
    }
    expect(await tablesHolding(service, machine.id)).toContain('relay_calls');
  });

  it('are replayed after a restart, unknown where the process died that ran them, and never run again', async () => {
    const kept = await invoke('kept');
    const lost = await invoke('lost');
    const [row] = await query<{ n: number }>(
      service,
      `UPDATE idempotency_keys SET status = NULL, answer = NULL WHERE call_id = $1`,
      [lost.body.requestId],
    ).then(() => query<{ n: number }>(service, 'SELECT count(*)::int AS n FROM idempotency_keys WHERE answer IS NULL'));
    expect(row).toEqual({ n: 1 });
    await restart(OLD_SECRET);
    const replayed = await invoke('kept');
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.body).toEqual(kept.body);
    const unknown = await invoke('lost');
    expect(problem(unknown, 502, 'device_disconnected')).toMatchObject({
      outcome: 'unknown',
      requestId: lost.body.requestId,
    });
    expect(unknown.headers.get('idempotency-replayed')).toBe('true');
    expect((await invoke('lost')).body).toEqual(unknown.body);
    problem(await invoke('lost', { command: 'y' }), 422, 'idempotency_key_reused');
    expect(machine.socket.requests).toEqual([]);
  });

  it('are replayed after APP_SECRET was rotated, the old one standing second', async () => {
    const first = await invoke('rotated');
    await restart(`${NEW_SECRET},${OLD_SECRET}`);
    expect((await invoke('rotated')).body).toEqual(first.body);
    expect(machine.socket.requests).toEqual([]);
  });

  it('are unknown, and not run again, once their secret is gone', async () => {
    await restart(NEW_SECRET);
    expect(problem(await invoke('rotated'), 502, 'device_disconnected').outcome).toBe('unknown');
    expect(machine.socket.requests).toEqual([]);
  });
});
