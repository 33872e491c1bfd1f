import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createMigratedFolder } from '../support/temp-folder';
import { DeviceSocket } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { BUILD_FOLDER } from '../support/ensure-service-built';
import { waitFor } from '../support/wait-for';
import { findFreePort } from '../support/find-free-port';
import { createMigratedDatabase, describeWithPostgres } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber } from '../support/webhooks/webhook-fixture';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver';

/** A statement that waits for a lock of another session. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

interface Backend {
  env: NodeJS.ProcessEnv;
  dispose?(): Promise<void>;
}

/** @param build folder whose single files run instead of the bundle */
function describeGracefulShutdown(createBackend: () => Promise<Backend> | Backend, build?: string): void {
  let backend: Backend;
  let service: ServiceProcess;
  let metricsPort: number;
  beforeAll(async () => {
    backend = await createBackend();
  });
  beforeEach(async () => {
    metricsPort = await findFreePort();
    const env = { ...LOOPBACK_WEBHOOKS_ENV, ...backend.env, METRICS_PORT: String(metricsPort) };
    service = await ServiceProcess.start(env, { build });
  });
  afterEach(() => service.stop('SIGKILL'));
  afterAll(() => backend?.dispose?.());

  it('exits 0 at once with closed ports if nothing is in flight', async () => {
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

  it('doesn’t wait for idle connections', async () => {
    const unused = connect(service.port, '127.0.0.1').on('error', () => undefined);
    const slow = connect(service.port, '127.0.0.1').on('error', () => undefined);
    await Promise.all([once(unused, 'connect'), once(slow, 'connect')]);
    let answer = '';
    slow.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    slow.write(buildPostHead(2));
    await waitFor(() => expect(answer).toMatch(/^HTTP\/1.1 100 /));
    service.sendSignal('SIGTERM');
    await sleep(200);
    expect(service.isRunning).toBe(true);
    const finishedAt = Date.now();
    slow.write('{}');
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(Date.now() - finishedAt).toBeLessThan(3_000);
    expect(answer).toMatch(/\r\n\r\nHTTP\/1.1 400 /);
    unused.destroy();
  });

  it('does not wait for a caller that never finishes', async () => {
    const endless = connect(service.port, '127.0.0.1').on('error', () => undefined);
    endless.write(`${buildPostHead(9)}{`);
    await once(endless, 'data');
    service.sendSignal('SIGTERM');
    await sleep(1_000);
    expect(service.isRunning).toBe(true);
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
    endless.destroy();
  });

  it('is not ready at once while the attempt of a webhook is in progress, and finishes it', async () => {
    const webhookReceiver = await WebhookReceiver.start();
    const pendingResponse = new Promise<ServerResponse>((resolve) => {
      webhookReceiver.handler = (_, response) => resolve(response);
    });
    const ada = await Subscriber.signUp(service.http);
    const { id } = await ada.createWebhook(webhookReceiver.url);
    await ada.postAction(id, 'test');
    const response = await pendingResponse;
    service.sendSignal('SIGTERM');
    // Before the attempt times out after 20 seconds.
    await waitFor(async () => expect((await service.http.get('/health/ready')).status).toBe(503), 10_000);
    expect(service.isRunning).toBe(true);
    response.writeHead(204).end();
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
    await webhookReceiver.stop();
  });

  it('finishes a relayed call, rejects new ones, and disconnects its devices', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const machine = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = expectStatus(await service.http.post('/v1/machines', machine.token, body), 201).data;
    const { token } = await ada.createToken(['machines:invoke']);
    const socket = await DeviceSocket.connect(service.http.url, machine.token, ['machine.invoke']);
    const invoke = (timeoutMs: number) =>
      service.http.post(`/external/v1/machines/${id}/invoke`, token, { command: 'sleep', timeoutMs });

    const arrived = new Promise<void>((resolve) => {
      socket.setHandler(async () => {
        resolve();
        await released;
        return { ok: true, result: { exitCode: 0 } };
      });
    });
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const call = invoke(20_000);
    await arrived;
    service.sendSignal('SIGTERM');
    await waitFor(async () => expect((await service.http.get('/health/ready')).status).toBe(503));
    // A call is still accepted until the instance starts to drain, which it is not ready for a little earlier.
    await waitFor(async () =>
      expect(await invoke(500)).toMatchObject({
        status: 503,
        body: { code: 'service_unavailable', outcome: 'not_delivered' },
      }),
    );
    release();
    expect(await call).toMatchObject({ status: 200, body: { result: { exitCode: 0 } } });
    await socket.disconnected;
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
}

const createEmbeddedBackend = () => ({ env: { DATA_DIR: createMigratedFolder() } });

describe('a graceful shutdown on the embedded database', () => {
  describeGracefulShutdown(createEmbeddedBackend);
});

describe('a graceful shutdown of single files', () => {
  describeGracefulShutdown(createEmbeddedBackend, BUILD_FOLDER);
});

describeWithPostgres('a graceful shutdown on PostgreSQL', () => {
  describeGracefulShutdown(async () => {
    const { env, dropDatabase: drop } = await createMigratedDatabase();
    return { env, dispose: drop };
  });
});

describeWithPostgres('an instance that does not listen yet', () => {
  it('exits at once at SIGTERM, also while the database delays its start', async () => {
    const { env, url, query, dropDatabase } = await createMigratedDatabase();
    const locker = new Client({ connectionString: url });
    await locker.connect();
    // An instance registers itself before it listens.
    await locker.query('BEGIN; LOCK TABLE instances');
    const service = await ServiceProcess.launchProcess(env);
    try {
      await waitFor(async () => expect(await query(WAITING)).toHaveLength(1), 20_000);
      expect(await service.stop()).toMatchObject({ code: 143, signal: null, stderr: '' });
    } finally {
      await service.stop('SIGKILL');
      await locker.end();
      await dropDatabase();
    }
  });
});

/** Returns the head of a request with a body of this many bytes. The service answers 100 when it has read it. */
function buildPostHead(length: number): string {
  const headers = ['Host: here', 'Content-Type: application/json', `Content-Length: ${length}`, 'Expect: 100-continue'];
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
