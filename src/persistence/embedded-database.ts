import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PglitePgConnection } from '@electric-sql/pglite/node-postgres';
import { Client, type ClientConfig } from 'pg';

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

/** PostgreSQL in this process (PGlite), its files in `dataDir/pg`. The caller holds the folder's lock. */
export class EmbeddedDatabase {
  private constructor(private readonly pglite: PGlite) {}

  /** @throws EmbeddedDatabaseError */
  static async open(dataDir: string): Promise<EmbeddedDatabase> {
    try {
      return new EmbeddedDatabase(await openOrMake(dataDir));
    } catch (error) {
      throw new EmbeddedDatabaseError(dataDir, error);
    }
  }

  /** A `pg.Client` class that talks to this database, for pools that take one. */
  clientClass(): typeof Client {
    const pglite = this.pglite;
    return class EmbeddedClient extends Client {
      constructor(config?: ClientConfig) {
        // A fresh connection each: a shared one stays broken after a query that fails.
        super({ ...config, connection: new PglitePgConnection({ pglite }) } as ClientConfig);
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
