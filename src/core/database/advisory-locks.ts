import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { PeriodicTask } from '../../common/periodic-task';
import { applyConnectionSettings, terminateBackends, type PostgresBackend } from './connection-settings';
import { getSocket, PostgresClient } from './postgres-client';

const MIGRATION_LOCK_ID = 7_264_001;
const MIGRATION_LOCK_WAIT_MS = 10 * 60_000;
const MIGRATION_LOCK_POLL_MS = 200;
/** Migrations may take long, but the session of a machine that is gone must not keep the lock for hours. */
const LOCK_SESSION_SETTINGS =
  'SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL tcp_keepalives_idle = 30; ' +
  'SET LOCAL tcp_keepalives_interval = 10; SET LOCAL tcp_keepalives_count = 3';
const INSTANCE_LOCK_ID = 7_264_002;
const RETRY_INTERVAL_MS = 1_000;
const LOCK_CHECK_INTERVAL_MS = 5_000;
/** Time after which an unresponsive connection is destroyed. */
const CONNECTION_TIMEOUT_MS = 5_000;
/** The default of other connections, which may get this session from a pooler. */
const STATEMENT_TIMEOUT_SECONDS = 60;

const databaseLogger = new Logger('Database');

/** Thrown when another process serves this database: without Redis, two would not know each other's devices. */
export class SecondInstanceError extends Error {
  constructor() {
    super('Another instance is running on this database. Stop it, or set REDIS_URL to run several instances.');
    this.name = 'SecondInstanceError';
  }
}

/** Thrown when the migration lock can't be acquired in time, and when the session that holds it ends. */
export class MigrationLockError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationLockError';
  }
}

/**
 * Runs `work` while no other instance migrates the same database. The lock belongs to a transaction, which also works
 * through PgBouncer in transaction mode: there, a lock of the session would stay with a server connection of the pool.
 * If its session ends, another process can acquire the lock, so this rejects at once and its caller ends the process.
 * @throws DatabaseConnectionError, MigrationLockError
 */
export async function runWithMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new PostgresClient({ connectionString: url });
  await client.connect();
  const lost = new Promise<never>((_, reject) => {
    client.on('error', (error: Error) => reject(createLostLockError(error)));
  });
  try {
    return await Promise.race([lost, waitForMigrationLock(client).then(work)]);
  } finally {
    await client.end();
  }
}

function createLostLockError(cause: Error): MigrationLockError {
  return new MigrationLockError(
    `The database session for the migration lock has ended: ${cause.message}. Completed migrations remain applied. ` +
      'Start again.',
    { cause },
  );
}

/** Polls, so that the wait is logged and ends. @throws MigrationLockError */
async function waitForMigrationLock(client: Client): Promise<void> {
  const deadline = performance.now() + MIGRATION_LOCK_WAIT_MS;
  for (let attempt = 1; !(await beginWithMigrationLock(client)); attempt++) {
    if (performance.now() > deadline) {
      const minutes = MIGRATION_LOCK_WAIT_MS / 60_000;
      throw new MigrationLockError(
        `Another process has held the migration lock of this database for ${minutes} minutes. ` +
          'Look for it in pg_locks (locktype advisory), then start again.',
      );
    }
    if (attempt === 1) databaseLogger.log('waiting for the migration lock');
    await sleep(MIGRATION_LOCK_POLL_MS);
  }
}

/**
 * Begins a transaction that holds the lock. Ends it if another process holds the lock, and sends no parameters, whose
 * portal would keep the snapshot: CREATE INDEX CONCURRENTLY waits for all transactions that have an older one.
 */
async function beginWithMigrationLock(client: Client): Promise<boolean> {
  await client.query('BEGIN');
  await client.query(LOCK_SESSION_SETTINGS);
  const { rows } = await client.query<{ acquired: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK_ID}) AS acquired`,
  );
  if (rows[0]?.acquired) return true;
  await client.query('ROLLBACK');
  return false;
}

/** Session-level advisory lock on its own connection. Reacquires the lock after a lost connection. */
export class SingleInstanceLock {
  private client: Client | null = null;
  /** Session that holds or held the lock. It may still run on the server after the connection was lost. */
  private lockingBackend: PostgresBackend | null = null;
  private isReleased = false;

  /** @param onLost called once if another instance acquired the lock while this one was disconnected */
  private constructor(
    private readonly url: string,
    private readonly onLost: (error: Error) => void,
  ) {}

  /** @throws SecondInstanceError */
  static async acquireLock(url: string, onLost: (error: Error) => void): Promise<SingleInstanceLock> {
    const lock = new SingleInstanceLock(url, onLost);
    await lock.connectAndLock();
    return lock;
  }

  async releaseLock(): Promise<void> {
    this.isReleased = true;
    await this.client?.end();
  }

  private async connectAndLock(): Promise<void> {
    const client = new PostgresClient({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: CONNECTION_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const postgresBackend = await applyConnectionSettings(client, STATEMENT_TIMEOUT_SECONDS);
      if (this.lockingBackend) await terminateBackends(client, [this.lockingBackend]);
      const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [
        INSTANCE_LOCK_ID,
      ]);
      if (!rows[0]?.held) throw new SecondInstanceError();
      this.lockingBackend = postgresBackend;
    } catch (error) {
      destroyConnection(client);
      throw error;
    }
    this.client = client;
    const checkTask = new PeriodicTask('instance lock check', LOCK_CHECK_INTERVAL_MS, async () => {
      await client.query('SELECT 1').catch(() => destroyConnection(client));
    });
    checkTask.start();
    client.once('end', () => {
      void checkTask.stop();
      this.scheduleRetry();
    });
  }

  private scheduleRetry(): void {
    if (this.isReleased) return;
    setTimeout(() => {
      this.connectAndLock().catch((error: Error) => {
        if (error instanceof SecondInstanceError) this.onLost(error);
        else this.scheduleRetry();
      });
    }, RETRY_INTERVAL_MS).unref();
  }
}

/** Destroys the socket: a graceful end would wait for the server, which may be unresponsive. */
function destroyConnection(client: Client): void {
  getSocket(client).destroy();
}
