import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import { migratePostgres } from '../../../src/core/database/migrate-postgres';
import { buildRowStatements, type RowStatements } from '../../support/generic-rows';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';

/** The last migration that landed before the rules of tools/migrations/long-locks.mjs. All later ones are tested. */
const LAST_EXEMPT_EPOCH = 1795450010000;
const ROW_COUNT = 1_000_000;
/** Tables that stay small in production, such as those of rows that expire within a day. All others are large. */
const SMALL_TABLES = ['developer_apps', 'invitations', 'pairings', 'webhook_endpoint_queues', 'webhook_outbox'];
const SMALL_ROW_COUNT = 10_000;
const WRITER_COUNT = 3;
/** How long a statement may wait for a table lock. The concurrent migrations themselves take many seconds. */
const MAX_WAIT_MS = 1_000;

const MIGRATIONS_FOLDER = join(__dirname, '..', '..', '..', 'migrations');
const epochOf = (name: string) => Number(/\d{13}/.exec(name)?.[0]);
const FIRST_TESTED = migrations.findIndex(({ name }) => epochOf(name) > LAST_EXEMPT_EPOCH);

/** Selects the longest present wait of a writer for a table, in ms. It excludes the time for which a CPU is missing. */
const LONGEST_WAIT = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)), 0) * 1000 AS ms
  FROM pg_locks JOIN pg_stat_activity USING (pid)
 WHERE NOT granted AND locktype = 'relation' AND application_name = 'writer' AND datname = current_database()`;

/** Selects the indexes of a table that belong to no constraint. */
const INDEXES = `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
 WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`;

describeWithPostgres('migrations of tables with a million rows', () => {
  let testDatabase: TestDatabase;
  let tables: RowStatements[];
  const clients: Client[] = [];
  let nextRow = ROW_COUNT;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    await migratePostgres(testDatabase.url, { migrations: migrations.slice(0, FIRST_TESTED) });
    const client = await connect('filler');
    tables = [];
    for (const table of await listTouchedTables()) tables.push(await buildRowStatements(client, table));
    // An autovacuum of the new rows would delay a migration until PostgreSQL cancels it after a second.
    for (const { table } of tables) await client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    const queue = [...tables];
    const fill = async (filler: Client) => {
      for (let next = queue.pop(); next; next = queue.pop()) {
        const count = SMALL_TABLES.includes(next.table) ? SMALL_ROW_COUNT : ROW_COUNT;
        // An index is created for all rows more quickly than it takes in each of them.
        const { rows: indexes } = await filler.query<{ name: string; definition: string }>(INDEXES, [next.table]);
        for (const { name } of indexes) await filler.query(`DROP INDEX ${name}`);
        await filler.query(next.insertSql, [1, count]);
        for (const { definition } of indexes) await filler.query(definition);
      }
    };
    await Promise.all([fill(client), fill(await connect('filler'))]);
  }, 300_000);

  afterAll(async () => {
    for (const client of clients) await client.end();
    await testDatabase.dropDatabase();
  });

  async function connect(name: string): Promise<Client> {
    const client = new Client({ connectionString: testDatabase.url, application_name: name });
    await client.connect();
    clients.push(client);
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
    return client;
  }

  /** Returns the existing tables that the code of a tested migration names. */
  async function listTouchedTables(): Promise<string[]> {
    const rows = await testDatabase.query<{ name: string }>(`SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`);
    const sources = readdirSync(MIGRATIONS_FOLDER)
      .filter((file) => /^\d{13}-.*\.ts$/.test(file) && epochOf(file) > LAST_EXEMPT_EPOCH)
      .map((file) => readFileSync(join(MIGRATIONS_FOLDER, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''));
    return rows
      .map(({ name }) => name)
      .filter((name) => sources.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  }

  /** Migrates while writers insert, update and read. @returns the longest wait of a writer for a table, in ms */
  async function measureLongestWait(migrationsToRun: (new () => MigrationInterface)[]): Promise<number> {
    let isMigrating = true;
    let longest = 0;
    const work = async (client: Client) => {
      for (let turn = 0; isMigrating; turn++) {
        const { table, insertSql, updateSql } = tables[turn % tables.length]!;
        const row = ++nextRow;
        await client.query(insertSql, [row, row]);
        await client.query(updateSql, [row]);
        await client.query(`SELECT * FROM ${table} LIMIT 1`);
        await sleep(1);
      }
    };
    const sample = async (client: Client) => {
      while (isMigrating) {
        const { rows } = await client.query<{ ms: string }>(LONGEST_WAIT);
        longest = Math.max(longest, Number(rows[0]!.ms));
        await sleep(20);
      }
    };
    const writers = await Promise.all(Array.from({ length: WRITER_COUNT }, () => connect('writer')));
    const sampler = await connect('sampler');
    const loops = [...writers.map(work), sample(sampler)];
    try {
      await migratePostgres(testDatabase.url, { migrations: migrationsToRun });
    } finally {
      isMigrating = false;
      await Promise.all(loops);
      for (const client of [...writers, sampler]) await client.end();
    }
    return longest;
  }

  it('let no statement wait for long, as far as the rules of locks apply to them', async () => {
    expect(tables.map(({ table }) => table)).toContain('sessions');
    const waits: Record<string, number> = {};
    for (let end = FIRST_TESTED + 1; end <= migrations.length; end++)
      waits[migrations[end - 1]!.name] = await measureLongestWait(migrations.slice(0, end));
    if (process.env.TEST_PRINT_WAITS) process.stderr.write(`${JSON.stringify(waits)}\n`);
    expect(Object.entries(waits).filter(([, ms]) => ms > MAX_WAIT_MS)).toEqual([]);
  }, 300_000);

  it('are found if they lock a table while they read it', async () => {
    const longest = await measureLongestWait([...migrations, PlainIndex]);
    if (process.env.TEST_PRINT_WAITS) process.stderr.write(`PlainIndex ${longest}\n`);
    expect(longest).toBeGreaterThan(MAX_WAIT_MS);
  }, 120_000);
});

/** Index without CONCURRENTLY, whose expression takes long. */
class PlainIndex implements MigrationInterface {
  name = 'PlainIndex1995132800000';
  up = (runner: QueryRunner): Promise<void> =>
    runner.query('CREATE INDEX ON sessions (md5(md5(md5(md5(md5(md5(id)))))))');
  down = (): Promise<void> => Promise.resolve();
}
