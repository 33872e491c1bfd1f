import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg, { type Client } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import type { PostgresConfig } from '../config';
import { runWithMigrationLock } from './advisory-locks';
import { applyConnectionSettings } from './connection-settings';
import { DatabaseConnectionError } from './database-unavailable';
import { MigrationFailedError } from './migration-failed-error';
import { PostgresClient } from './postgres-client';

type MigrationClass = new () => MigrationInterface;

/** While a migration waits for a table lock, all other statements on the table queue behind it. */
const LOCK_TIMEOUT = '5s';
/**
 * CREATE INDEX CONCURRENTLY waits for transactions that are older than it, and nobody queues behind it meanwhile. The
 * limit ends a wait for an instance of an old release that itself waits for the migration lock.
 */
const CONCURRENT_LOCK_TIMEOUT = '2min';
const LOCK_NOT_AVAILABLE = '55P03';
const MAX_ATTEMPTS = 6;
/** Pause in which the statements behind the lock proceed. */
const RETRY_PAUSE_MS = 2_000;

const databaseLogger = new Logger('Database');

/** Names of applied and pending migrations, each in order. */
export interface MigrationState {
  applied: string[];
  pending: string[];
}

/** Thrown if a migration got no table lock in any attempt. The migrations before it remain applied. */
export class MigrationLockTimeoutError extends Error {
  constructor(attempts: number, cause: unknown) {
    super(
      `A migration got no table lock in ${attempts} attempts. It is not applied. Find the transaction that keeps the ` +
        'lock in pg_stat_activity, end it, and migrate again.',
      { cause },
    );
    this.name = 'MigrationLockTimeoutError';
  }
}

export interface MigrationOptions {
  migrations?: readonly MigrationClass[];
  /** How often a migration that gets no table lock is attempted. */
  maxAttempts?: number;
}

/**
 * Runs `work` with the address for migrations. If no connection can be established, the error names the setting.
 * @throws DatabaseConnectionError, and what `work` throws
 */
export async function runAtMigrationUrl<T>(
  { url, migrationUrl }: PostgresConfig,
  work: (migrationUrl: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(migrationUrl);
  } catch (error) {
    if (migrationUrl === url || !(error instanceof DatabaseConnectionError)) throw error;
    throw new DatabaseConnectionError(error.cause, 'DATABASE_MIGRATION_URL');
  }
}

/**
 * Runs pending migrations. If several instances start at once, one migrates and the others wait. Repeats a migration
 * that a long transaction keeps from a table lock.
 * @returns the names of the migrations that it applied
 * @throws DatabaseConnectionError, MigrationLockError, MigrationFailedError, MigrationLockTimeoutError after the last
 *   attempt
 */
export function migratePostgres(
  url: string,
  { migrations: migrationsToRun = migrations, maxAttempts = MAX_ATTEMPTS }: MigrationOptions = {},
): Promise<string[]> {
  return runWithMigrationLock(url, () =>
    withMigrationDataSource(url, migrationsToRun, async (dataSource) => {
      const before = await readMigrationState(dataSource);
      for (let attempt = 1; ; attempt++) {
        try {
          await dataSource.runMigrations({ transaction: 'each' });
          return before.pending;
        } catch (error) {
          if (!isLockTimeout(error)) throw error;
          if (attempt === maxAttempts) throw new MigrationLockTimeoutError(attempt, error);
          databaseLogger.warn({ attempt }, 'migration got no table lock, retrying');
          await sleep(RETRY_PAUSE_MS);
        }
      }
    }),
  );
}

/** Reverts the last migration. @returns its name, or null if none is applied */
export function revertLastMigration(url: string): Promise<string | null> {
  return runWithMigrationLock(url, () =>
    withMigrationDataSource(url, migrations, async (dataSource) => {
      const last = (await readMigrationState(dataSource)).applied.at(-1);
      if (last === undefined) return null;
      const isInTransaction = dataSource.migrations.find(({ name }) => name === last)?.transaction !== false;
      await dataSource.undoLastMigration({ transaction: isInTransaction ? 'each' : 'none' });
      return last;
    }),
  );
}

/** Returns the state of the database's migrations without changing it. */
export function getMigrationState(url: string): Promise<MigrationState> {
  return withMigrationDataSource(url, migrations, readMigrationState);
}

async function withMigrationDataSource<T>(
  url: string,
  migrationsToRun: readonly MigrationClass[],
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = new DataSource({
    type: 'postgres',
    driver: pg,
    url,
    migrations: migrationsToRun.map(withLockTimeout),
    installExtensions: false,
    // The default logger writes failures as text to the standard output, which holds JSON only.
    logger: 'debug',
    extra: {
      Client: PostgresClient,
      max: 1,
      application_name: 'external-api migrations',
      onConnect: (client: Client) => applyConnectionSettings(client),
    },
  });
  await dataSource.initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof MigrationFailedError && (error.cause as { code?: string }).code === LOCK_NOT_AVAILABLE;
}

/** Limits the time for which a migration waits for each lock, and names the migration in its error. */
function withLockTimeout(Migration: MigrationClass): MigrationClass {
  return class implements MigrationInterface {
    private readonly migration = new Migration();
    readonly name = this.migration.name ?? Migration.name;
    readonly transaction = this.migration.transaction;

    up(runner: QueryRunner): Promise<void> {
      return this.runNamed(runner, () => this.migration.up(runner));
    }

    down(runner: QueryRunner): Promise<void> {
      return this.runNamed(runner, () => this.migration.down(runner));
    }

    /** @throws MigrationFailedError */
    private async runNamed(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
      await runWithLockTimeout(runner, work).catch((error: unknown) => {
        throw new MigrationFailedError(this.name, error);
      });
    }
  };
}

/**
 * Sets the timeout inside of the migration's transaction: PgBouncer refuses it as a start-up parameter. Without a
 * transaction, the timeout belongs to the session until it is reset.
 */
async function runWithLockTimeout(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  if (runner.isTransactionActive) {
    await runner.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    return work();
  }
  await runner.query(`SET lock_timeout = '${CONCURRENT_LOCK_TIMEOUT}'`);
  try {
    await work();
  } finally {
    await runner.query('RESET lock_timeout');
  }
}

async function readMigrationState(dataSource: DataSource): Promise<MigrationState> {
  const [table] = await dataSource.query<{ exists: boolean; schema: string | null }[]>(
    "SELECT to_regclass('migrations') IS NOT NULL AS exists, current_schema() AS schema",
  );
  if (table?.schema === null) throw new DatabaseConnectionError(new Error('its search_path names no existing schema'));
  const rows = table?.exists
    ? await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY timestamp, id')
    : [];
  const applied = rows.map(({ name }) => name);
  const known = dataSource.migrations.map(({ name }) => name!);
  return { applied, pending: known.filter((name) => !applied.includes(name)) };
}
