import type { DataSource } from 'typeorm';
import { Clock, HOUR } from '../../../src/common/clock';
import { ReadOnlyState } from '../../../src/common/read-only-state';
import { loadConfig } from '../../../src/core/config';
import { RetentionService, UnitOfWork } from '../../../src/core/database';
import { InstancesRepository } from '../../../src/core/instances/instances.repository';
import { openDataSource } from '../../../src/core/database/data-source';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';

/** Rows that a run deleted at most before it went on until none was left. */
const FORMER_LIMIT = 50_000;

interface Instance {
  dataSource: DataSource;
  retentionService: RetentionService;
  /** Sum of what all runs have deleted, and whether the last one has left nothing. */
  result: { deletedRowCount: number; isFinished: boolean | null };
}

describeWithPostgres('background tasks of several instances', () => {
  let testDatabase: TestDatabase;
  let first: Instance;
  let second: Instance;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    // With Redis, which they don't use, several may run on a database.
    const config = loadConfig({ ...testDatabase.env, REDIS_URL: 'redis://127.0.0.1:1' });
    const open = async (): Promise<Instance> => {
      const dataSource = await openDataSource(config, []);
      const retentionService = new RetentionService(new UnitOfWork(dataSource), new Clock(), new ReadOnlyState());
      retentionService.registerRules({ table: 'used_challenges', column: 'expires_at', retentionMs: 0 });
      const result: Instance['result'] = { deletedRowCount: 0, isFinished: null };
      retentionService.completedRuns.subscribe(({ deletedRowCount, isFinished }) => {
        Object.assign(result, { deletedRowCount: result.deletedRowCount + deletedRowCount, isFinished });
      });
      return { dataSource, retentionService, result };
    };
    first = await open();
    second = await open();
  });
  afterAll(async () => {
    for (const instance of [first, second]) await instance?.dataSource.destroy().catch(() => undefined);
    await testDatabase?.dropDatabase();
  });

  beforeEach(() => {
    for (const { result } of [first, second]) Object.assign(result, { deletedRowCount: 0, isFinished: null });
  });

  const insertExpired = (prefix: string, count: number) =>
    testDatabase.query(
      `INSERT INTO used_challenges (hash, expires_at)
       SELECT convert_to($1 || n, 'UTF8'), now() - interval '1 hour' FROM generate_series(1, $2::integer) n`,
      [prefix, count],
    );
  const countRows = async () => {
    const [row] = await testDatabase.query<{ count: number }>('SELECT count(*)::int AS count FROM used_challenges');
    return row!.count;
  };

  it('delete all expired rows, however many there are and also while more expire', async () => {
    await insertExpired('before', FORMER_LIMIT + 500);
    const run = first.retentionService.deleteExpiredRows();
    for (let n = 0; n < 5; n++) await insertExpired(`during-${n}-`, 2_000);
    await run;
    await first.retentionService.deleteExpiredRows();
    expect(await countRows()).toBe(0);
    expect(first.result).toEqual({ deletedRowCount: FORMER_LIMIT + 10_500, isFinished: true });
  });

  it('delete the rows of a table on one instance at a time', async () => {
    await insertExpired('shared', 10_000);
    await Promise.all([first, second].map(({ retentionService }) => retentionService.deleteExpiredRows()));
    expect(await countRows()).toBe(0);
    expect(first.result.deletedRowCount + second.result.deletedRowCount).toBe(10_000);
  });

  it('continue deletion on another instance when the first was killed half way', async () => {
    await insertExpired('killed', 20_000);
    await testDatabase.query('INSERT INTO used_challenges VALUES ($1, $2)', ['valid', new Date(Date.now() + HOUR)]);
    const run = first.retentionService.deleteExpiredRows();
    await waitFor(async () => expect(await countRows()).toBeLessThan(20_000));
    await first.dataSource.destroy();
    await run;
    expect(first.result.isFinished).toBe(false);
    expect(await countRows()).toBeGreaterThan(1);
    await second.retentionService.deleteExpiredRows();
    expect(second.result.isFinished).toBe(true);
    expect(await countRows()).toBe(1);
  });

  it('run on one instance in each interval, also after a clock was set back', async () => {
    const instances = [1, 2, 3].map(() => new InstancesRepository(new UnitOfWork(second.dataSource)));
    const countRuns = async (intervalMs: number) => {
      const runs = await Promise.all(instances.map((instance) => instance.claimRun('sweep', intervalMs)));
      return runs.filter((isClaimed) => isClaimed).length;
    };
    expect(await countRuns(HOUR)).toBe(1);
    expect(await countRuns(HOUR)).toBe(0);
    await testDatabase.query(`UPDATE task_turns SET next_at = now() - interval '1 second'`);
    expect(await countRuns(HOUR)).toBe(1);
    await testDatabase.query(`UPDATE task_turns SET next_at = now() + interval '2 hours'`);
    expect(await countRuns(HOUR)).toBe(1);
  });
});
