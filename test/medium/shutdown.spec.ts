import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratedFolder, removeFolders } from '../support/data-folder';
import { DeviceSocket } from '../support/device/device-socket';
import { AccountDevice, ok } from '../support/device/foreign-device';
import { eventually } from '../support/eventually';
import { freePort } from '../support/free-port';
import { createDatabase, describePostgres } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';

interface Backend {
  env: NodeJS.ProcessEnv;
  dispose(): Promise<void> | void;
}

function stopsCleanly(createBackend: () => Promise<Backend> | Backend): void {
  let backend: Backend;
  let service: ServiceProcess;
  let metricsPort: number;
  beforeAll(async () => {
    backend = await createBackend();
  });
  beforeEach(async () => {
    metricsPort = await freePort();
    service = await ServiceProcess.start({ ...backend.env, METRICS_PORT: String(metricsPort) });
  });
  afterEach(() => service.stop('SIGKILL'));
  afterAll(() => backend.dispose());

  it('exits 0 at once where nothing is in flight, its ports closed', async () => {
    expect(await isOpen(service.port)).toBe(true);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    for (const name of ['process_resident_memory_bytes', 'relay_pending_calls', 'relay_calls_total']) {
      expect(metrics).toContain(`# HELP ${name}`);
    }
    const startedAt = Date.now();
    expect(await service.stop()).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(Date.now() - startedAt).toBeLessThan(3_000);
    expect(await isOpen(service.port)).toBe(false);
    expect(await isOpen(metricsPort)).toBe(false);
  });

  it('waits for no connection that carries no request', async () => {
    const unused = connect(service.port, '127.0.0.1').on('error', () => undefined);
    const slow = connect(service.port, '127.0.0.1').on('error', () => undefined);
    await Promise.all([once(unused, 'connect'), once(slow, 'connect')]);
    let answer = '';
    slow.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    slow.write(postOf(2));
    await sleep(200);
    service.signal('SIGTERM');
    await sleep(200);
    expect(service.isRunning).toBe(true);
    const finishedAt = Date.now();
    slow.write('{}');
    expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(Date.now() - finishedAt).toBeLessThan(3_000);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    unused.destroy();
  });

  it('does not wait for a caller that never finishes', async () => {
    const endless = connect(service.port, '127.0.0.1').on('error', () => undefined);
    endless.write(`${postOf(9)}{`);
    await sleep(200);
    service.signal('SIGTERM');
    await sleep(1_000);
    expect(service.isRunning).toBe(true);
    expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    endless.destroy();
  });

  it('lets a relayed call finish first, refuses new ones, and lets its devices go', async () => {
    const ada = await AccountDevice.signUp(service.http);
    const machine = await ada.adopt('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = ok(await service.http.post('/v1/machines', machine.token, body), 201).data;
    const { token } = await ada.createToken(['machines:invoke']);
    const socket = await DeviceSocket.connect(service.http.url, machine.token, ['machine.invoke']);
    const invoke = () =>
      service.http.post(`/external/v1/machines/${id}/invoke`, token, { command: 'sleep', timeoutMs: 10_000 });

    const arrived = new Promise<void>((resolve) => {
      socket.answerWith(async () => {
        resolve();
        await released;
        return { ok: true, result: { exitCode: 0 } };
      });
    });
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const call = invoke();
    await arrived;
    service.signal('SIGTERM');
    await eventually(async () => expect((await service.http.get('/health/ready')).status).toBe(503));
    expect(await invoke()).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable', outcome: 'not_delivered' },
    });
    release();
    expect(await call).toMatchObject({ status: 200, body: { result: { exitCode: 0 } } });
    await socket.disconnected;
    expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
}

describe('a clean stop on the embedded database', () => {
  stopsCleanly(() => ({ env: { DATA_DIR: migratedFolder() }, dispose: removeFolders }));
});

describePostgres('a clean stop on PostgreSQL', () => {
  stopsCleanly(async () => {
    const { env, drop } = await createDatabase();
    return { env, dispose: drop };
  });
});

/** The head of a request of so many bytes. */
function postOf(length: number): string {
  const headers = ['Host: here', 'Content-Type: application/json', `Content-Length: ${length}`];
  return ['POST /v1/auth/challenge HTTP/1.1', ...headers, '', ''].join('\r\n');
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
