import { createBackend, type Backend } from '../../support/backend';
import { queryDatabase, findTablesContaining } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { Service } from '../../support/service';

const OLD_SECRET = 'the application secret of last year';
const NEW_SECRET = 'the application secret of this year';
const KEY = 'an-idempotency-key-nobody-else-has';
const OUTPUT = 'output-that-stays-sealed';

describe('stored responses at rest', () => {
  let backend: Backend;
  let fixture: RelayFixture;
  let service: Service;
  let connectedMachine: ConnectedMachine;

  beforeAll(async () => {
    backend = await createBackend();
    fixture = await RelayFixture.start({ APP_SECRET: OLD_SECRET }, backend);
    service = fixture.service;
    connectedMachine = await fixture.createMachine();
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { stdout: OUTPUT } }));
  });
  afterAll(async () => {
    connectedMachine?.socket.close();
    await service?.stop();
  });

  const invoke = (key: string, body: object = { command: 'x' }) =>
    service.http.post(`/external/v1/machines/${connectedMachine.id}/invoke`, fixture.token, body, {
      headers: { 'Idempotency-Key': key },
    });

  async function restart(secrets: string): Promise<void> {
    connectedMachine.socket.close();
    await service.app.close();
    service = await Service.start({ APP_SECRET: secrets }, backend);
    connectedMachine.socket = await DeviceSocket.connect(service.url, connectedMachine.device.token, [
      'machine.invoke',
    ]);
  }

  it('reveal neither key, command nor output in the database or the log', async () => {
    const body = { command: 'a-command-nobody-else-runs', args: ['an-argument-nobody-else-has'] };
    for (let n = 0; n < 2; n++) expect((await invoke(KEY, body)).body.result.stdout).toBe(OUTPUT);
    for (const secret of [KEY, OUTPUT, body.command, body.args[0]!]) {
      expect(await findTablesContaining(service, secret)).toEqual([]);
      expect(service.logs.join('')).not.toContain(secret);
    }
    expect(await findTablesContaining(service, connectedMachine.id)).toContain('relay_calls');
  });

  it('are replayed after a restart; calls of a killed process are unknown and never run again', async () => {
    const kept = await invoke('kept');
    const lost = await invoke('lost');
    const [row] = await queryDatabase<{ n: number }>(
      service,
      `UPDATE idempotency_keys SET status = NULL, answer = NULL WHERE call_id = $1`,
      [lost.body.requestId],
    ).then(() =>
      queryDatabase<{ n: number }>(service, 'SELECT count(*)::int AS n FROM idempotency_keys WHERE answer IS NULL'),
    );
    expect(row).toEqual({ n: 1 });
    await restart(OLD_SECRET);
    const replayed = await invoke('kept');
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.body).toEqual(kept.body);
    const unknown = await invoke('lost');
    expect(expectProblem(unknown, 502, 'device_disconnected')).toMatchObject({
      outcome: 'unknown',
      requestId: lost.body.requestId,
    });
    expect(unknown.headers.get('idempotency-replayed')).toBe('true');
    expect((await invoke('lost')).body).toEqual(unknown.body);
    expectProblem(await invoke('lost', { command: 'y' }), 422, 'idempotency_key_reused');
    expect(connectedMachine.socket.requests).toEqual([]);
  });

  it('are replayed after a rotation of APP_SECRET with the old one in second place', async () => {
    const first = await invoke('rotated');
    await restart(`${NEW_SECRET},${OLD_SECRET}`);
    expect((await invoke('rotated')).body).toEqual(first.body);
    expect(connectedMachine.socket.requests).toEqual([]);
  });

  it('are unknown and not run again without their secret', async () => {
    await restart(NEW_SECRET);
    expect(expectProblem(await invoke('rotated'), 502, 'device_disconnected').outcome).toBe('unknown');
    expect(connectedMachine.socket.requests).toEqual([]);
  });
});
