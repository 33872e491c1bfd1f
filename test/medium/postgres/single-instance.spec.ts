import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { waitFor } from '../../support/wait-for';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';

const REFUSAL = 'Another instance is running on this database. Stop it, or set REDIS_URL to run several instances.\n';

const INSTANCE_LOCK = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 7264002
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describeWithPostgres('two instances on one database without Redis', () => {
  let testDatabase: TestDatabase;
  let service: ServiceProcess;
  const running: ServiceProcess[] = [];
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop('SIGKILL')));
    await testDatabase.dropDatabase();
  });

  async function launch(): Promise<ServiceProcess> {
    const launched = await ServiceProcess.launchProcess(testDatabase.env);
    running.push(launched);
    return launched;
  }

  async function lockHolder(): Promise<number | undefined> {
    const [row] = await testDatabase.query<{ pid: number }>(INSTANCE_LOCK);
    return row?.pid;
  }

  it('don’t both serve when they start concurrently: the other one exits with one line', async () => {
    const both = [await launch(), await launch()];
    const loser = await Promise.race(both.map(async (each) => ({ each, ...(await each.exited) })));
    expect(loser).toMatchObject({ code: 1, stderr: REFUSAL });
    service = both.find((each) => each !== loser.each)!;
    await service.waitUntilReady();
    await ForeignAccountDevice.signUp(service.http);
  });

  it('don’t both serve when PostgreSQL closes the lock’s connection, which is restored', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    for (let time = 0; time < 2; time++) {
      const held = await lockHolder();
      await testDatabase.query('SELECT pg_terminate_backend($1)', [held]);
      while ([held, undefined].includes(await lockHolder())) await sleep(50);
    }
    expect(await ServiceProcess.runUntilExit(testDatabase.env)).toMatchObject({ code: 1, stderr: REFUSAL });
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(200);
  });

  it('don’t both serve when the lock’s connection falls silent, which is restored', async () => {
    await service.stop();
    const url = new URL(testDatabase.url);
    const way = await TcpProxy.start(Number(url.port || 5432));
    url.host = `127.0.0.1:${way.port}`;
    service = await ServiceProcess.start({ ...testDatabase.env, DATABASE_URL: url.href });
    running.push(service);
    const held = await lockHolder();
    way.discardTraffic();
    await sleep(12_000);
    await way.restoreTraffic();
    await waitFor(async () => expect([held, undefined]).not.toContain(await lockHolder()), 20_000);
    expect(service.isRunning).toBe(true);
    expect(await ServiceProcess.runUntilExit(testDatabase.env)).toMatchObject({ code: 1, stderr: REFUSAL });
    await service.stop();
    await way.cutConnections();
    service = await launch();
    await service.waitUntilReady();
  }, 90_000);

  it('can serve one after the other, after every kind of exit', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await service.stop(signal);
      service = await launch();
      await service.waitUntilReady();
    }
  });

  it('leave the database to the second if it took the lock while the first was disconnected', async () => {
    const held = await lockHolder();
    const usurper = new Client({ connectionString: testDatabase.url });
    await usurper.connect();
    const taken = usurper.query('SELECT pg_advisory_lock(7264002)');
    await testDatabase.query('SELECT pg_terminate_backend($1)', [held]);
    await taken;
    expect(await service.exited).toMatchObject({ code: 1, stderr: REFUSAL });
    await usurper.end();
  });
});
