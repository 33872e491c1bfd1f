import { Client } from 'pg';
import { DatabaseConnectionError } from './database-unavailable';

const MIGRATION_LOCK = 7_264_001;
const INSTANCE_LOCK = 7_264_002;
const RETRY_MS = 1_000;

/** Another process serves this database, and without Redis two would not know of each other's devices. */
export class SecondInstanceError extends Error {
  constructor() {
    super('Another instance is running on this database. Without REDIS_URL one process serves it alone.');
    this.name = 'SecondInstanceError';
  }
}

/**
 * Runs `work` while no other instance migrates the same database.
 * @throws DatabaseConnectionError
 */
export async function withMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect().catch((error: unknown) => {
    throw new DatabaseConnectionError(error);
  });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work();
  } finally {
    await client.end();
  }
}

/** A session-level lock on its own connection; it is taken again when PostgreSQL comes back. */
export class SingleInstanceLock {
  private client: Client | null = null;
  private released = false;

  /** @param onLost called once if another instance took the lock while this one was cut off */
  private constructor(
    private readonly url: string,
    private readonly onLost: (error: Error) => void,
  ) {}

  /** @throws SecondInstanceError */
  static async acquire(url: string, onLost: (error: Error) => void): Promise<SingleInstanceLock> {
    const lock = new SingleInstanceLock(url, onLost);
    await lock.take();
    return lock;
  }

  async release(): Promise<void> {
    this.released = true;
    await this.client?.end();
  }

  private async take(): Promise<void> {
    const client = new Client({ connectionString: this.url, keepAlive: true });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [INSTANCE_LOCK]);
    if (!rows[0]?.held) {
      await client.end();
      throw new SecondInstanceError();
    }
    this.client = client;
    client.once('end', () => this.retry());
  }

  private retry(): void {
    if (this.released) return;
    setTimeout(() => {
      this.take().catch((error: Error) => {
        if (error instanceof SecondInstanceError) this.onLost(error);
        else this.retry();
      });
    }, RETRY_MS).unref();
  }
}
