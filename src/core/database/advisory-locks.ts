import type { Socket } from 'node:net';
import { Client } from 'pg';
import { PeriodicTask } from '../../common/periodic-task';
import { DatabaseConnectionError } from './database-unavailable';
import { applyConnectionSettings, terminateBackends, type PostgresBackend } from './connection-settings';

const MIGRATION_LOCK_ID = 7_264_001;
const INSTANCE_LOCK_ID = 7_264_002;
const RETRY_INTERVAL_MS = 1_000;
const LOCK_CHECK_INTERVAL_MS = 5_000;
/** Time after which an unresponsive connection is destroyed. */
const CONNECTION_TIMEOUT_MS = 5_000;

/** Thrown when another process serves this database: without Redis, two would not know each other's devices. */
export class SecondInstanceError extends Error {
  constructor() {
    super('Another instance is running on this database. Stop it, or set REDIS_URL to run several instances.');
    this.name = 'SecondInstanceError';
  }
}

/**
 * Runs `work` while no other instance migrates the same database.
 * @throws DatabaseConnectionError
 */
export async function runWithMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect().catch((error: unknown) => {
    throw new DatabaseConnectionError(error);
  });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_ID]);
    return await work();
  } finally {
    await client.end();
  }
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
    const client = new Client({
      connectionString: this.url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: CONNECTION_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const postgresBackend = await applyConnectionSettings(client);
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
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}
