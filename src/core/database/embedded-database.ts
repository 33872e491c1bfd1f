import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PglitePgConnection } from '@electric-sql/pglite/node-postgres';
import { Client, type ClientConfig, type DatabaseError } from 'pg';
import { unpackEmptyCluster } from './packed-cluster';
import { restrictToOwner, OwnerOnlyFileSystem, warnIfAccessibleToOthers } from './owner-only-files';

/**
 * A tenth of PGlite's default, which takes 160 MiB that a database for one machine never fills
 * (docs/performance.md#start-and-memory).
 */
const SHARED_BUFFERS = '16MB';

/** SQLSTATE: a new file exists already. The engine gets it again for each write, until it is restarted. */
const DUPLICATE_FILE = '58P02';

/** Thrown when the database files can't be opened. The engine's own errors don't state the reason. */
export class EmbeddedDatabaseError extends Error {
  constructor(dataDir: string, cause: unknown) {
    super(
      `The database in DATA_DIR ${dataDir} cannot be opened. ` +
        'Check that its disk has free space and that this user owns all files in it.',
      { cause },
    );
    this.name = 'EmbeddedDatabaseError';
  }
}

/** Reported when the engine panics, for example because its disk is full. Committed transactions are on disk. */
export class EmbeddedDatabasePanicError extends Error {
  constructor(dataDir: string, reason: string) {
    super(`The database in DATA_DIR ${dataDir} has stopped. Restart the process to recover it: ${reason}`);
    this.name = 'EmbeddedDatabasePanicError';
  }
}

/** PostgreSQL within this process (PGlite), with its files in `dataDir/pg`. Requires the lock of the folder. */
export class EmbeddedDatabase {
  private constructor(
    private readonly pglite: PGlite,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /**
   * @param onPanic called when the engine stops working; it can't be reopened in this process
   * @throws EmbeddedDatabaseError
   */
  static async openDatabase(
    dataDir: string,
    onPanic: (error: EmbeddedDatabasePanicError) => void,
  ): Promise<EmbeddedDatabase> {
    try {
      warnIfAccessibleToOthers(dataDir);
      const pglite = await openOrCreateFiles(dataDir);
      return new EmbeddedDatabase(pglite, ({ message }) => {
        onPanic(new EmbeddedDatabasePanicError(dataDir, message));
      });
    } catch (error) {
      throw new EmbeddedDatabaseError(dataDir, error);
    }
  }

  /** Returns a `pg.Client` class for this database, which a pool can use. */
  createClientClass(): typeof Client {
    const { pglite, onFailure } = this;
    return class EmbeddedClient extends Client {
      constructor(config?: ClientConfig) {
        // Each client has its own connection: a shared one would remain broken after a failed query.
        const connection = new PglitePgConnection({ pglite });
        connection.on('errorMessage', (error: DatabaseError) => {
          if (error.severity === 'PANIC' || error.code === DUPLICATE_FILE) onFailure(error);
        });
        // Without a network, connection errors are failures of the engine.
        connection.on('error', onFailure);
        super({ ...config, connection } as ClientConfig);
      }

      // The pool passes a callback and waits for it before it creates the next client.
      override end(): Promise<void>;
      override end(callback: (error: Error) => void): void;
      override end(callback?: (error: Error) => void): Promise<void> | void {
        // All clients share one session of the engine: an open transaction would include the next client's work.
        const ended = pglite
          .exec('ROLLBACK')
          .catch(() => undefined)
          .then(() => super.end());
        if (!callback) return ended;
        ended.then(() => (callback as () => void)(), callback);
      }
    };
  }

  async closeDatabase(): Promise<void> {
    await this.pglite.close();
  }
}

/** Recreates the files if a marker shows that a killed process left them unfinished: they can't be opened then. */
async function openOrCreateFiles(dataDir: string): Promise<PGlite> {
  const files = join(dataDir, 'pg');
  const unfinishedMarker = join(dataDir, 'pg-unfinished');
  if (existsSync(unfinishedMarker)) rmSync(files, { recursive: true, force: true });
  else if (existsSync(files)) {
    restrictToOwner(files);
    return openFiles(files);
  }
  writeFileSync(unfinishedMarker, '');
  mkdirSync(files, { mode: 0o700 });
  // PGlite creates the files itself if the build has none. Both create them for their owner only.
  unpackEmptyCluster(files);
  const pglite = await openFiles(files);
  rmSync(unfinishedMarker);
  return pglite;
}

function openFiles(files: string): Promise<PGlite> {
  return PGlite.create({
    fs: new OwnerOnlyFileSystem(files),
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  });
}
