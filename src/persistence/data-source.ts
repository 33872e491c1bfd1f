import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from '../../migrations';
import type { Config } from '../config';
import { SecondInstanceError, SingleInstanceLock } from './advisory-locks';
import { DataDirLock } from './data-dir-lock';
import { DatabaseConnectionError } from './database-unavailable';
import { EmbeddedDatabase } from './embedded-database';
import { migratePostgres } from './migrate-postgres';
import { SnakeNamingStrategy } from './snake-naming-strategy';

/** Longer than any request needs; work that is bounded by nothing but an account's size says `unhurried`. */
const STATEMENT_TIMEOUT_MS = 60_000;

type Entities = NonNullable<DataSourceOptions['entities']>;

/** A DataSource that ends what it stands on when it is destroyed. */
class OwningDataSource extends DataSource {
  onDestroyed: () => Promise<void> = () => Promise.resolve();

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.onDestroyed();
  }
}

/**
 * Connects, holds the lock that the shape needs, and brings the schema up to date.
 * @throws DataDirInUseError, EmbeddedDatabaseError, SecondInstanceError, DatabaseConnectionError
 */
export async function openDataSource(config: Config, entities: Entities): Promise<DataSource> {
  const { database } = config;
  return database.kind === 'embedded'
    ? openEmbedded(database.dataDir, entities)
    : openPostgres(database.url, entities, config.redisUrl !== null);
}

async function openEmbedded(dataDir: string, entities: Entities): Promise<DataSource> {
  const lock = await DataDirLock.acquire(dataDir);
  try {
    const engine = await EmbeddedDatabase.open(dataDir, leave);
    const dataSource = new OwningDataSource({
      ...common(entities),
      extra: { Client: engine.clientClass(), max: 1, connectionTimeoutMillis: 30_000 },
    });
    dataSource.onDestroyed = async () => {
      await engine.close();
      await lock.release();
    };
    await dataSource.initialize();
    await dataSource.runMigrations({ transaction: 'each' });
    return dataSource;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openPostgres(url: string, entities: Entities, shared: boolean): Promise<DataSource> {
  const lock = shared ? null : await lockInstance(url);
  try {
    const dataSource = new OwningDataSource({
      ...common(entities),
      url,
      extra: {
        max: 20,
        connectionTimeoutMillis: 5_000,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        application_name: 'external-api',
      },
    });
    dataSource.onDestroyed = async () => lock?.release();
    await migratePostgres(url);
    return await dataSource.initialize();
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function lockInstance(url: string): Promise<SingleInstanceLock> {
  try {
    // Serving on would give two processes the same devices.
    return await SingleInstanceLock.acquire(url, leave);
  } catch (error) {
    throw error instanceof SecondInstanceError ? error : new DatabaseConnectionError(error);
  }
}

/** At once: what it was for is gone, and its supervisor decides. */
function leave(error: Error): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function common(entities: Entities) {
  return {
    type: 'postgres' as const,
    entities,
    migrations,
    namingStrategy: new SnakeNamingStrategy(),
    uuidExtension: 'pgcrypto' as const,
    installExtensions: false,
  };
}
