import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { AccountDevice } from '../../support/device/foreign-device';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';

const REFUSAL = 'Another instance is running on this database. Without REDIS_URL one process serves it alone.\n';

const INSTANCE_LOCK = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 7264002
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describePostgres('two instances on one database without Redis', () => {
  let database: Database;
  let service: ServiceProcess;
  const running: ServiceProcess[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop('SIGKILL')));
    await database.drop();
  });

  async function launch(): Promise<ServiceProcess> {
    const launched = await ServiceProcess.launch(database.env);
    running.push(launched);
    return launched;
  }

  async function lockHolder(): Promise<number | undefined> {
    const [row] = await database.query<{ pid: number }>(INSTANCE_LOCK);
    return row?.pid;
  }

  it('do not both serve when they start at once: one does, the other says why in one line', async () => {
    const both = [await launch(), await launch()];
    const loser = await Promise.race(both.map(async (each) => ({ each, ...(await each.ended) })));
    expect(loser).toMatchObject({ code: 1, stderr: REFUSAL });
    service = both.find((each) => each !== loser.each)!;
    await service.ready();
    await AccountDevice.signUp(service.http);
  });

  it('stay apart when PostgreSQL ends the connection that holds the lock: it is taken again', async () => {
    const ada = await AccountDevice.signUp(service.http);
    for (let time = 0; time < 2; time++) {
      const held = await lockHolder();
      await database.query('SELECT pg_terminate_backend($1)', [held]);
      while ([held, undefined].includes(await lockHolder())) await sleep(50);
    }
    expect(await ServiceProcess.run(database.env)).toMatchObject({ code: 1, stderr: REFUSAL });
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(200);
  });

  it('serve one after the other, however the first ended', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await service.stop(signal);
      service = await launch();
      await service.ready();
    }
  });

  it('leave the database to whoever took the lock while the first was cut off', async () => {
    const held = await lockHolder();
    const usurper = new Client({ connectionString: database.url });
    await usurper.connect();
    const taken = usurper.query('SELECT pg_advisory_lock(7264002)');
    await database.query('SELECT pg_terminate_backend($1)', [held]);
    await taken;
    expect(await service.ended).toMatchObject({ code: 1, stderr: REFUSAL });
    await usurper.end();
  });
});
