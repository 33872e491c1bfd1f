import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import { loadConfig } from '../../../src/core/config';
import { runWithMigrationLock } from '../../../src/core/database/advisory-locks';
import { openDataSource } from '../../../src/core/database/data-source';
import { migratePostgres, MigrationLockTimeoutError } from '../../../src/core/database/migrate-postgres';
import { findProgram } from '../../support/program-files';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';

const PROGRAMS: [program: 'service' | 'admin', args: string[]][] = [
  ['service', []],
  ['admin', ['migrate']],
];
/** A process that waits for the migration lock, between two attempts to get it. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query = 'ROLLBACK'`;
/** The session that has the migration lock, while it waits for the migrations. */
const LOCK_SESSION = `pg_stat_activity
  WHERE datname = current_database() AND state = 'idle in transaction'
    AND starts_with(query, 'SELECT pg_try_advisory_xact_lock')`;

describeWithPostgres('migrations at start', () => {
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await createTestDatabase();
  });
  afterEach(() => testDatabase.dropDatabase());

  it('run once each on an empty database', async () => {
    const config = loadConfig(testDatabase.env);
    for (let start = 0; start < 2; start++) await (await openDataSource(config, [])).destroy();
    const names = await testDatabase.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    expect(names.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  });

  it('wait while another instance migrates', async () => {
    let opened: Promise<DataSource> | undefined;
    await runWithMigrationLock(testDatabase.url, async () => {
      opened = openDataSource(loadConfig(testDatabase.env), []);
      await sleep(500);
      expect(await testDatabase.query(`SELECT 1 FROM pg_tables WHERE tablename = 'accounts'`)).toEqual([]);
    });
    await (await opened!).destroy();
    expect(await testDatabase.query(`SELECT 1 FROM pg_tables WHERE tablename = 'accounts'`)).toHaveLength(1);
  });

  it.each(PROGRAMS)('end at SIGTERM by a handler of the %s, which process 1 needs', async (program, args) => {
    await runWithMigrationLock(testDatabase.url, async () => {
      const command = [findProgram(program), ...args];
      const child = spawn(process.execPath, command, { env: testDatabase.env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      try {
        await waitFor(async () => expect(await testDatabase.query(WAITING)).toHaveLength(1), 20_000);
      } finally {
        child.kill('SIGTERM');
      }
      // The signal itself would end any process but the first one of a container.
      expect(await exited).toEqual([143, null]);
    });
  });

  it.each(PROGRAMS)('end the %s with one line if the session that has the lock ends', async (program, args) => {
    await migratePostgres(testDatabase.url);
    const blocker = new Client({ connectionString: testDatabase.url });
    await blocker.connect();
    // Reading which migrations are pending waits for it.
    await blocker.query('BEGIN; LOCK TABLE migrations');
    const child = spawn(process.execPath, [findProgram(program), ...args], {
      env: testDatabase.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = Promise.all([text(child.stderr), once(child, 'exit')]);
    try {
      await waitFor(
        async () =>
          expect(await testDatabase.query(`SELECT pg_terminate_backend(pid) FROM ${LOCK_SESSION}`)).toHaveLength(1),
        20_000,
      );
      const [stderr, exit] = await ended;
      expect({ stderr, exit }).toEqual({
        stderr:
          `${program === 'admin' ? 'error: ' : ''}The database session for the migration lock has ended: ` +
          'terminating connection due to administrator command. Completed migrations remain applied. Start again.\n',
        exit: [1, null],
      });
    } finally {
      child.kill('SIGKILL');
      await blocker.end();
    }
  });

  it('keep the session of the lock alive from both ends', async () => {
    await runWithMigrationLock(testDatabase.url, () =>
      waitFor(async () => {
        const [session] = await testDatabase.query<{ port: number }>(`SELECT client_port AS port FROM ${LOCK_SESSION}`);
        const [client, server] = readKeepAliveSeconds(session!.port);
        expect(client).toBeLessThanOrEqual(10);
        expect(server).toBeLessThanOrEqual(30);
      }),
    );
  });

  it('run once when many instances start at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => migratePostgres(testDatabase.url)));
    expect(await testDatabase.query('SELECT 1 FROM migrations')).toHaveLength(migrations.length);
  });

  it('fail instead of blocking a running instance if a table stays locked', async () => {
    await migratePostgres(testDatabase.url);
    const reader = new Client({ connectionString: testDatabase.url });
    await reader.connect();
    await reader.query('BEGIN; SELECT * FROM accounts');
    const widening = { migrations: [...migrations, WidenAccounts], maxAttempts: 1 };
    await expect(migratePostgres(testDatabase.url, widening)).rejects.toThrow(MigrationLockTimeoutError);
    await reader.end();
  });

  it('are repeated until a long transaction has released its lock', async () => {
    await migratePostgres(testDatabase.url);
    const reader = new Client({ connectionString: testDatabase.url });
    await reader.connect();
    await reader.query('BEGIN; SELECT * FROM accounts');
    const migrating = migratePostgres(testDatabase.url, { migrations: [...migrations, WidenAccounts] });
    await sleep(5_500);
    await reader.end();
    expect(await migrating).toEqual(['WidenAccounts1995132800000']);
    expect(await testDatabase.query('SELECT extra FROM accounts')).toEqual([]);
  }, 20_000);

  it('are refused at start with MIGRATE_ON_START=false, until they have been run', async () => {
    const config = loadConfig({ ...testDatabase.env, MIGRATE_ON_START: 'false' });
    await expect(openDataSource(config, [])).rejects.toThrow(
      /^Migrations are pending: CreateAccountsAndDevices1795132/,
    );
    expect(await testDatabase.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    await migratePostgres(testDatabase.url);
    await (await openDataSource(config, [])).destroy();
  });
});

class WidenAccounts implements MigrationInterface {
  name = 'WidenAccounts1995132800000';
  up = (runner: QueryRunner): Promise<void> => runner.query('ALTER TABLE accounts ADD COLUMN extra text');
  down = (): Promise<void> => Promise.resolve();
}

/**
 * Returns after how many seconds the client and the server of this connection send their next probe, from the table of
 * Linux: `local_address rem_address st tx_queue:rx_queue tr:tm->when`, where 2 is the timer of the probes.
 */
function readKeepAliveSeconds(clientPort: number): (number | undefined)[] {
  const port = clientPort.toString(16).toUpperCase().padStart(4, '0');
  const table = readFileSync('/proc/net/tcp', 'utf8');
  return [`:${port} \\S+`, `\\S+:${port}`].map((addresses) => {
    const [, hundredths] = new RegExp(`${addresses} 01 \\S+ 02:(\\w+)`).exec(table) ?? [];
    return hundredths === undefined ? undefined : parseInt(hundredths, 16) / 100;
  });
}
