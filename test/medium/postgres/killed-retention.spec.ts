import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { Clock, DAY } from '../../../src/common/clock';
import { getLowestId } from '../../../src/common/ids';
import { ReadOnlyState } from '../../../src/common/read-only-state';
import { loadConfig } from '../../../src/core/config';
import { RetentionService, UnitOfWork, type RetentionRule } from '../../../src/core/database';
import { openDataSource } from '../../../src/core/database/data-source';
import { BUILD_FOLDER } from '../../support/ensure-service-built';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';

const BATCH_SIZE = 1_000;
const EXPIRED_COUNT = 20 * BATCH_SIZE;
const RULE: RetentionRule = {
  table: 'webhook_deliveries',
  column: 'created_at',
  retentionMs: 30 * DAY,
  id: { column: 'id', prefix: 'dlv' },
};
/** Key of the advisory lock that the deletion of a gated delivery waits for. The value is arbitrary. */
const GATE = 7_264_999;

const requireBuilt = (path: string) => `require(${JSON.stringify(join(BUILD_FOLDER, 'src', path))})`;

/** Deletes expired rows in a process of its own, as an instance does. */
const SCRIPT = `
  const { Clock } = ${requireBuilt('common/clock')};
  const { ReadOnlyState } = ${requireBuilt('common/read-only-state')};
  const { loadConfig } = ${requireBuilt('core/config')};
  const { RetentionService, UnitOfWork } = ${requireBuilt('core/database')};
  const { openDataSource } = ${requireBuilt('core/database/data-source')};
  openDataSource(loadConfig(process.env), []).then((dataSource) => {
    const retention = new RetentionService(new UnitOfWork(dataSource), new Clock(), new ReadOnlyState());
    retention.registerRules(${JSON.stringify(RULE)});
    return retention.deleteExpiredRows();
  });`;

describeWithPostgres('retention that is killed half way', () => {
  let testDatabase: TestDatabase;
  let env: NodeJS.ProcessEnv;
  let child: ChildProcess | undefined;
  let gate: Client;
  let dataSource: DataSource;
  let retentionService: RetentionService;
  let isFinished: boolean | null;

  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    // With Redis, which they don't use, several instances may run on a database.
    env = { ...testDatabase.env, REDIS_URL: 'redis://127.0.0.1:1' };
    gate = new Client({ connectionString: testDatabase.url });
    await gate.connect();
    dataSource = await openDataSource(loadConfig(env), []);
    retentionService = new RetentionService(new UnitOfWork(dataSource), new Clock(), new ReadOnlyState());
    retentionService.registerRules(RULE);
    retentionService.completedRuns.subscribe((run) => ({ isFinished } = run));
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    await gate?.end();
    await dataSource?.destroy();
    await testDatabase?.dropDatabase();
  });

  const insertDeliveries = (createdAt: number, count: number) =>
    testDatabase.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, state, created_at)
       SELECT left($1, -5) || lpad(n::text, 5, '0'), 'whk', 'evt', 'session.created', '{}',
              CASE WHEN n = $4 THEN 'failed' ELSE 'delivered' END, $2 FROM generate_series(1, $3::integer) n`,
      [getLowestId('dlv', createdAt), new Date(createdAt), count, EXPIRED_COUNT / 2],
    );
  const countRows = async () => {
    const [row] = await testDatabase.query<{ count: number }>('SELECT count(*)::int AS count FROM webhook_deliveries');
    return row!.count;
  };
  const countGateWaits = async () => {
    const rows = await testDatabase.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
      [GATE],
    );
    return rows.length;
  };

  it('deletes each batch as a whole, and another instance deletes the rest', async () => {
    await insertDeliveries(Date.now() - 31 * DAY, EXPIRED_COUNT);
    await insertDeliveries(Date.now() - 29 * DAY, BATCH_SIZE);
    // The batch of the only failed delivery waits in the middle of its deletion.
    await testDatabase.query(
      `CREATE FUNCTION wait_for_gate() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN OLD; END'`,
    );
    await testDatabase.query(
      `CREATE TRIGGER gate BEFORE DELETE ON webhook_deliveries FOR EACH ROW WHEN (OLD.state = 'failed')
         EXECUTE FUNCTION wait_for_gate()`,
    );
    await gate.query('SELECT pg_advisory_lock($1)', [GATE]);
    child = spawn(process.execPath, ['-e', SCRIPT], { stdio: 'inherit', env: { ...process.env, ...env } });
    await waitFor(async () => expect(await countGateWaits()).toBe(1), 30_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = EXPIRED_COUNT / 2 + 2 * BATCH_SIZE;
    expect(await countRows()).toBe(left);

    // PostgreSQL has not noticed yet. Its process still has the turn in this table.
    await retentionService.deleteExpiredRows();
    expect(isFinished).toBe(false);
    expect(await countRows()).toBe(left);

    await gate.query('SELECT pg_advisory_unlock($1)', [GATE]);
    await waitFor(async () => {
      await retentionService.deleteExpiredRows();
      expect(isFinished).toBe(true);
    });
    expect(
      await testDatabase.query('SELECT count(*)::int AS count, min(created_at) > $1 AS valid FROM webhook_deliveries', [
        new Date(Date.now() - 30 * DAY),
      ]),
    ).toEqual([{ count: BATCH_SIZE, valid: true }]);
  });
});
