import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import { createIndexConcurrently, dropIndexConcurrently } from '../../../migrations/concurrent-indexes';
import { migratePostgres } from '../../../src/core/database/migrate-postgres';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';

const INDEX_STATE = `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('accounts_created_idx')`;
const INDEX_ID = `SELECT 'accounts_created_idx'::regclass::oid`;
const CREATE_INDEX = 'CREATE INDEX CONCURRENTLY accounts_created_idx ON accounts USING btree (created_at)';
const OLD_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM devices';
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND query LIKE 'CREATE INDEX CONCURRENTLY%'`;
const MIGRATION_AT_INDEX = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'external-api migrations'
    AND query LIKE '%accounts_created_idx%'`;
const TERMINATE_MIGRATION = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'external-api migrations'`;
const INSERT_ACCOUNT = `INSERT INTO accounts (id, username, content_public_key, created_at)
  VALUES ($1, $1, '{}', now())`;

/** Foreign keys whose columns no valid index of the whole table starts with. */
const UNINDEXED_FOREIGN_KEYS = `
  SELECT f.conrelid::regclass || '.' || f.conname AS name FROM pg_constraint f
   WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace AND NOT EXISTS (
     SELECT 1 FROM pg_index i WHERE i.indrelid = f.conrelid AND i.indpred IS NULL AND i.indisvalid
        AND f.conkey @> (i.indkey::int2[])[0:cardinality(f.conkey) - 1]
        AND f.conkey <@ (i.indkey::int2[])[0:cardinality(f.conkey) - 1])`;

describeWithPostgres('indexes of large tables', () => {
  let testDatabase: TestDatabase;
  let reader: Client;
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
    reader = new Client({ connectionString: testDatabase.url });
    await reader.connect();
  });
  afterEach(async () => {
    await reader.end();
    await testDatabase.dropDatabase();
  });

  const migrate = () => migratePostgres(testDatabase.url, { migrations: [...migrations, IndexCreation] });

  /** Runs `work` while the migration waits for an older snapshot. @returns how the migration ended */
  async function runWhileBlocked(work: () => Promise<unknown>): Promise<string> {
    await reader.query(OLD_SNAPSHOT);
    const migrating = migrate().then(
      () => 'migrated',
      (error: unknown) => (error as Error).message,
    );
    await waitFor(async () => expect(await testDatabase.query(WAITING)).toHaveLength(1));
    await work();
    return migrating;
  }

  it('exist for every foreign key', async () => {
    expect(await testDatabase.query(UNINDEXED_FOREIGN_KEYS)).toEqual([]);
    await testDatabase.query('DROP INDEX sessions_machine_fk_idx');
    expect(await testDatabase.query(UNINDEXED_FOREIGN_KEYS)).toEqual([{ name: 'sessions.sessions_machine_id_fkey' }]);
  });

  it('are built while others write to the table', async () => {
    const ended = await runWhileBlocked(async () => {
      await testDatabase.query(INSERT_ACCOUNT, ['acc_1']);
      expect(await testDatabase.query(WAITING)).toHaveLength(1);
      await reader.query('COMMIT');
    });
    expect(ended).toBe('migrated');
    expect(await testDatabase.query(INDEX_STATE)).toEqual([{ valid: true }]);
  });

  it('are dropped and built again if a killed migration left an invalid one', async () => {
    const ended = await runWhileBlocked(() => testDatabase.query(TERMINATE_MIGRATION));
    expect(ended).toMatch(/terminat/);
    expect(await testDatabase.query(INDEX_STATE)).toEqual([{ valid: false }]);
    await reader.query('COMMIT');
    expect(await migrate()).toEqual(['IndexCreation1995132800000']);
    expect(await testDatabase.query(INDEX_STATE)).toEqual([{ valid: true }]);
  });

  it('are kept if PostgreSQL finishes them after their migration was killed', async () => {
    await reader.query(OLD_SNAPSHOT);
    // A killed process leaves such a session: PostgreSQL doesn't notice that the client is gone.
    const builder = new Client({ connectionString: testDatabase.url });
    await builder.connect();
    const building = builder.query(CREATE_INDEX);
    try {
      await waitFor(async () => expect(await testDatabase.query(WAITING)).toHaveLength(1));
      const before = await testDatabase.query(INDEX_ID);
      const migrating = migrate();
      await waitFor(async () => expect(await testDatabase.query(MIGRATION_AT_INDEX)).toHaveLength(1));
      await reader.query('COMMIT');
      expect(await migrating).toEqual(['IndexCreation1995132800000']);
      expect(await testDatabase.query(INDEX_ID)).toEqual(before);
      expect(await testDatabase.query(INDEX_STATE)).toEqual([{ valid: true }]);
      await building;
    } finally {
      await builder.end();
    }
  });

  it('are accepted if the migration was killed before it was recorded', async () => {
    await testDatabase.query('CREATE INDEX accounts_created_idx ON accounts (created_at)');
    const [before] = await testDatabase.query(INDEX_ID);
    expect(await migrate()).toEqual(['IndexCreation1995132800000']);
    expect(await testDatabase.query(INDEX_ID)).toEqual([before]);
  });
});

class IndexCreation implements MigrationInterface {
  name = 'IndexCreation1995132800000';
  transaction = false;
  up = (runner: QueryRunner): Promise<void> =>
    createIndexConcurrently(runner, { name: 'accounts_created_idx', table: 'accounts', columns: 'created_at' });
  down = (runner: QueryRunner): Promise<void> => dropIndexConcurrently(runner, 'accounts_created_idx');
}
