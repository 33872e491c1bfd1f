import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import type { Answer } from '../../support/http-client';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { problem } from '../../support/problems';
import { ServiceProcess } from '../../support/service-process';

const POOL = 20;

describePostgres('one process under hardship', () => {
  let database: Database;
  let service: ServiceProcess;
  let ada: AccountDevice;
  let token: string;
  beforeAll(async () => {
    database = await createDatabase();
    const env = { TRUST_PROXY: '1', RATE_LIMIT_METADATA: '100000' };
    service = await ServiceProcess.start({ ...database.env, ...env });
    ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await database?.drop();
  });

  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  const sessions = (): Promise<Answer> => service.http.get('/external/v1/sessions', token, from('198.51.100.7'));
  const open = async (): Promise<Socket> => {
    const socket = connect(service.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it('a thousand idle connections take nothing from those who call', async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, open));
    for (let n = 0; n < 20; n++) ok(await sessions(), 200);
    for (const socket of idle) socket.destroy();
  });

  it('a flood of bad tokens is refused, by address in the end, and a good token elsewhere is served', async () => {
    const seen = new Map<number, number>();
    let flooding = true;
    const flood = async () => {
      while (flooding) {
        const { status } = await service.http.get('/external/v1/me', `svc_pat_${'x'.repeat(40)}`, from('203.0.113.9'));
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    };
    const flooders = Array.from({ length: 16 }, flood);
    for (let n = 0; n < 50; n++) ok(await sessions(), 200);
    flooding = false;
    await Promise.all(flooders);
    expect([...seen.keys()].sort()).toEqual([401, 429]);
    expect(seen.get(401)).toBeLessThanOrEqual(60);
    expect(seen.get(429)).toBeGreaterThan(100);
  });

  it('a body of 100 MB that says so is refused at once, and one that drips as soon as it is too long', async () => {
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
      ok(await sessions(), 200);
    }
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(50_000_000);
    await eventually(() => expect(drips.destroyed || drips.readableEnded).toBe(true));
    says.destroy();
  });

  it('statements that hang hold up those who need the database, who are told so; all is well when they end', async () => {
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    const hanging = Array.from({ length: POOL }, sessions);
    await sleep(500);
    const startedAt = performance.now();
    const refused = await service.http.get('/v1/devices', ada.token);
    expect(problem(refused, 503, 'service_unavailable')).toMatchObject({ status: 503 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect((await service.http.get('/health/live')).status).toBe(200);
    await locker.query('ROLLBACK');
    for (const answer of await Promise.all(hanging)) ok(answer, 200);
    ok(await service.http.get('/v1/devices', ada.token), 200);
    await locker.end();
  });

  it('a statement that PostgreSQL ends for its length is told of as 503', async () => {
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    const hanging = sessions();
    // What `statement_timeout` does, without its wait: SQLSTATE 57014.
    await eventually(async () => {
      const { rowCount } = await locker.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
      expect(rowCount).toBe(1);
    }, 10_000);
    problem(await hanging, 503, 'service_unavailable');
    await locker.query('ROLLBACK');
    await locker.end();
    ok(await sessions(), 200);
  });
});
