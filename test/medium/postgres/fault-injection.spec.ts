import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import type { HttpResponse } from '../../support/http-client';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { expectProblem } from '../../support/problems';
import { ServiceProcess } from '../../support/service-process';

const POOL = 20;

describeWithPostgres('one process under fault injection', () => {
  let testDatabase: TestDatabase;
  let service: ServiceProcess;
  let ada: ForeignAccountDevice;
  let token: string;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    const env = { TRUST_PROXY: '1', RATE_LIMIT_METADATA: '100000' };
    service = await ServiceProcess.start({ ...testDatabase.env, ...env });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await testDatabase?.dropDatabase();
  });

  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  const sessions = (): Promise<HttpResponse> => service.http.get('/external/v1/sessions', token, from('198.51.100.7'));
  const open = async (): Promise<Socket> => {
    const socket = connect(service.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it('a thousand idle connections stay open, and callers are answered beside them', async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, open));
    for (let n = 0; n < 20; n++) expectStatus(await sessions(), 200);
    expect(idle.filter(({ readyState }) => readyState === 'open')).toHaveLength(1_000);
    for (const socket of idle) socket.destroy();
  });

  it('a flood of invalid tokens is rejected and limited by address, and a valid token elsewhere works', async () => {
    const seen = new Map<number, number>();
    let flooding = true;
    const flood = async () => {
      while (flooding) {
        const { status } = await service.http.get('/external/v1/me', `svc_pat_${'x'.repeat(40)}`, from('203.0.113.9'));
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    };
    const flooders = Array.from({ length: 16 }, flood);
    for (let n = 0; n < 50; n++) expectStatus(await sessions(), 200);
    flooding = false;
    await Promise.all(flooders);
    expect([...seen.keys()].sort()).toEqual([401, 429]);
    expect(seen.get(401)).toBeLessThanOrEqual(60);
    expect(seen.get(429)).toBeGreaterThan(100);
  });

  it('a declared body of 100 MB is rejected at once, and a slow one when it exceeds the limit', async () => {
    const head = (more: string) =>
      `POST /v1/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n` +
      `Content-Type: application/json\r\n${more}\r\n\r\n`;
    const says = await open();
    says.write(head('Content-Length: 100000000'));
    expect(String((await once(says, 'data'))[0])).toMatch(/^HTTP\/1\.1 413 /);

    const drips = await open();
    let answer = '';
    drips.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    drips.write(head('Transfer-Encoding: chunked'));
    const drop = `8000\r\n${' '.repeat(0x8000)}\r\n`;
    let sent = 0;
    while (!answer && sent < 100_000_000) {
      drips.write(drop);
      sent += 0x8000;
      expectStatus(await sessions(), 200);
    }
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(50_000_000);
    await waitFor(() => expect(drips.destroyed || drips.readableEnded).toBe(true));
    says.destroy();
  });

  it('hanging statements delay only database calls, which get 503 until the statements end', async () => {
    const locker = new Client({ connectionString: testDatabase.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    const hanging = Array.from({ length: POOL }, sessions);
    await sleep(500);
    const startedAt = performance.now();
    const refused = await service.http.get('/v1/devices', ada.token);
    expect(expectProblem(refused, 503, 'service_unavailable')).toMatchObject({ status: 503 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect((await service.http.get('/health/live')).status).toBe(200);
    await locker.query('ROLLBACK');
    for (const answer of await Promise.all(hanging)) expectStatus(answer, 200);
    expectStatus(await service.http.get('/v1/devices', ada.token), 200);
    await locker.end();
  });

  it('a statement cancelled by a timeout is 503', async () => {
    const locker = new Client({ connectionString: testDatabase.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    const hanging = sessions();
    // SQLSTATE 57014, like `statement_timeout`, but without the wait.
    await waitFor(async () => {
      const { rowCount } = await locker.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
      expect(rowCount).toBe(1);
    }, 10_000);
    expectProblem(await hanging, 503, 'service_unavailable');
    await locker.query('ROLLBACK');
    await locker.end();
    expectStatus(await sessions(), 200);
  });
});
