import { migrations } from '../../../migrations';
import { runWithMigrationLock } from '../../../src/core/database/advisory-locks';
import { runAdminJson, runAdminProgram, type AdminResult } from '../../support/admin-cli';
import { createTempFolder } from '../../support/temp-folder';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';

const NAMES = migrations.map(({ name }) => name);
/** A process that waits for the migration lock, between two attempts to get it. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query = 'ROLLBACK'`;

describeWithPostgres('npm run admin -- migrate', () => {
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await createTestDatabase();
  });
  afterEach(() => testDatabase.dropDatabase());

  const run = (...args: string[]) => runAdminJson(testDatabase.env, 'migrate', ...args);

  it('runs pending migrations once, and prints what is applied and pending', async () => {
    expect(await run('--status')).toEqual({ applied: [], pending: NAMES });
    expect(await run()).toEqual({ applied: NAMES });
    expect(await run()).toEqual({ applied: [] });
    expect(await run('--status')).toEqual({ applied: NAMES, pending: [] });
  });

  it.each([
    [[], 'waiting for the migration lock\n'],
    [['--json'], ''],
  ])('with %j writes that it waits for another process as a remark, beside its JSON', async (options, remarks) => {
    let waiting: Promise<AdminResult> | undefined;
    await runWithMigrationLock(testDatabase.url, async () => {
      waiting = runAdminProgram(testDatabase.env, 'migrate', ...options);
      await waitFor(async () => expect(await testDatabase.query(WAITING)).toHaveLength(1), 20_000);
    });
    const { code, stdout, stderr } = await waiting!;
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, remarks, { applied: NAMES }]);
  });

  it('reverts the last migration', async () => {
    expect(await run('--revert')).toEqual({ reverted: null });
    await run();
    expect(await run('--revert')).toEqual({ reverted: NAMES.at(-1) });
    expect(await run()).toEqual({ applied: [NAMES.at(-1)] });
  });

  it('records each migration in the audit trail', async () => {
    await run();
    await run('--revert');
    await run();
    const acts = await testDatabase.query('SELECT act, target_id FROM audit_events ORDER BY created_at, id');
    expect(acts.slice(0, NAMES.length).map((act) => act.target_id)).toEqual(expect.arrayContaining(NAMES));
    expect(acts.slice(NAMES.length)).toEqual([
      { act: 'migration.reverted', target_id: NAMES.at(-1) },
      { act: 'migration.applied', target_id: NAMES.at(-1) },
    ]);
  });

  it('is what other commands ask for on an empty database', async () => {
    const { code, stdout, stderr } = await runAdminProgram(testDatabase.env, 'account', 'ada');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('error: The database has no tables yet. Run the command "migrate"');
  });

  it('names the setting whose database cannot be reached', async () => {
    const env = { ...testDatabase.env, DATABASE_MIGRATION_URL: 'postgres://ada:hunter2@127.0.0.1:1/x' };
    for (const options of [[], ['--status'], ['--check'], ['--revert']]) {
      const { code, stdout, stderr } = await runAdminProgram(env, 'migrate', ...options);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^error: The database at DATABASE_MIGRATION_URL cannot be used: .*ECONNREFUSED.*\n$/);
    }
  });

  it('refuses the embedded database, and options that exclude each other', async () => {
    const embedded = await runAdminProgram({ DATA_DIR: createTempFolder() }, 'migrate');
    expect(embedded.code).toBe(1);
    expect(embedded.stderr).toContain('The embedded database is migrated when the service starts.');
    const { code, stderr } = await runAdminProgram(testDatabase.env, 'migrate', '--status', '--revert');
    expect([code, stderr.includes('exclude each other')]).toEqual([2, true]);
  });
});
