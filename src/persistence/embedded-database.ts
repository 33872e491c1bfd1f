import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PglitePgConnection } from '@electric-sql/pglite/node-postgres';
import { Client, type ClientConfig, type DatabaseError } from 'pg';

/** Its files cannot be used; the engine itself says little of the reason. */
export class EmbeddedDatabaseError extends Error {
  constructor(dataDir: string, cause: unknown) {
    super(
      `The database in DATA_DIR ${dataDir} cannot be opened. ` +
        'Is there room on its disk, and do all files in it belong to this user?',
      { cause },
    );
    this.name = 'EmbeddedDatabaseError';
  }
}

/** The engine gave up, as when its log has no room; whatever was acknowledged is on the disk. */
export class EmbeddedDatabasePanic extends Error {
  constructor(dataDir: string, reason: string) {
    super(`The database in DATA_DIR ${dataDir} has ended and opens again at the next start: ${reason}`);
    this.name = 'EmbeddedDatabasePanic';
  }
}

/** PostgreSQL in this process (PGlite), its files in `dataDir/pg`. The caller holds the folder's lock. */
export class EmbeddedDatabase {
  private constructor(
    private readonly pglite: PGlite,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /**
   * @param onPanic the engine answers nothing any more, and cannot be opened again in this process
   * @throws EmbeddedDatabaseError
   */
  static async open(dataDir: string, onPanic: (error: EmbeddedDatabasePanic) => void): Promise<EmbeddedDatabase> {
    try {
      const pglite = await openOrMake(dataDir);
      return new EmbeddedDatabase(pglite, ({ message }) => {
        onPanic(new EmbeddedDatabasePanic(dataDir, message));
      });
    } catch (error) {
      throw new EmbeddedDatabaseError(dataDir, error);
    }
  }

  /** A `pg.Client` class that talks to this database, for pools that take one. */
  clientClass(): typeof Client {
    const { pglite, onFailure } = this;
    return class EmbeddedClient extends Client {
      constructor(config?: ClientConfig) {
        // A fresh connection each: a shared one stays broken after a query that fails.
        const connection = new PglitePgConnection({ pglite });
        connection.on('errorMessage', (error: DatabaseError) => {
          if (error.severity === 'PANIC') onFailure(error);
        });
        // There is no network that could fail: the engine did.
        connection.on('error', onFailure);
        super({ ...config, connection } as ClientConfig);
      }

      // The pool passes a callback and waits for it before it makes the next client.
      override end(): Promise<void>;
      override end(callback: (error: Error) => void): void;
      override end(callback?: (error: Error) => void): Promise<void> | void {
        // The engine has one session for all clients: a transaction left open would swallow the next one's work.
        const ended = pglite
          .exec('ROLLBACK')
          .catch(() => undefined)
          .then(() => super.end());
        if (!callback) return ended;
        ended.then(() => (callback as () => void)(), callback);
      }
    };
  }

  async close(): Promise<void> {
    await this.pglite.close();
  }
}

/** A database half made, by a process that was killed, cannot be opened: a mark beside it says to begin anew. */
async function openOrMake(dataDir: string): Promise<PGlite> {
  const files = join(dataDir, 'pg');
  const unfinished = join(dataDir, 'pg-unfinished');
  if (existsSync(unfinished)) rmSync(files, { recursive: true, force: true });
  else if (existsSync(files)) return PGlite.create(files);
  writeFileSync(unfinished, '');
  const pglite = await PGlite.create(files);
  rmSync(unfinished);
  return pglite;
}
