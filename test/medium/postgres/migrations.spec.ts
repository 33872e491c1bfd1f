import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import { loadConfig } from '../../../src/config';
import { withMigrationLock } from '../../../src/persistence/advisory-locks';
import { openDataSource } from '../../../src/persistence/data-source';
import { migratePostgres } from '../../../src/persistence/migrate-postgres';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';

describePostgres('migrations at start', () => {
  let database: Database;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  it('run from nothing, each once', async () => {
    const config = loadConfig(database.env);
    for (let start = 0; start < 2; start++) await (await openDataSource(config, [])).destroy();
    const names = await database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    expect(names.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  });

  it('wait while another instance migrates', async () => {
    let opened: Promise<DataSource> | undefined;
    await withMigrationLock(database.url, async () => {
      opened = openDataSource(loadConfig(database.env), []);
      await sleep(500);
      expect(await database.query(`SELECT 1 FROM pg_tables WHERE tablename = 'accounts'`)).toEqual([]);
    });
    await (await opened!).destroy();
    expect(await database.query(`SELECT 1 FROM pg_tables WHERE tablename = 'accounts'`)).toHaveLength(1);
  });

  it('run once when many instances start at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => migratePostgres(database.url)));
    expect(await database.query('SELECT 1 FROM migrations')).toHaveLength(migrations.length);
  });

  it('give up rather than block a running instance when a table stays locked', async () => {
    await migratePostgres(database.url);
    const reader = new Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('BEGIN; SELECT * FROM accounts');
    await expect(migratePostgres(database.url, [...migrations, WidenAccounts])).rejects.toMatchObject({
      code: '55P03',
    });
    await reader.end();
  });
});

class WidenAccounts implements MigrationInterface {
  name = 'WidenAccounts1995132800000';
  up = (runner: QueryRunner): Promise<void> => runner.query('ALTER TABLE accounts ADD COLUMN extra text');
  down = (): Promise<void> => Promise.resolve();
}
