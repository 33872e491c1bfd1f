import pg, { type Client } from 'pg';
import { DataSource, DefaultNamingStrategy, type DataSourceOptions } from 'typeorm';
import { migrations } from '../../../migrations';
import { isTracing } from '../../common/tracing';
import type { Config, PostgresConfig } from '../config';
import { traceStatements } from '../tracing';
import { SecondInstanceError, SingleInstanceLock } from './advisory-locks';
import { applyConnectionSettings } from './connection-settings';
import { ConnectionMonitor } from './connection-monitor';
import { DataDirLock } from './data-dir-lock';
import { toConnectionError } from './database-unavailable';
import { EmbeddedDatabase } from './embedded-database';
import { FrequentStatements } from './frequent-statements';
import { getMigrationState, migratePostgres, runAtMigrationUrl } from './migrate-postgres';
import { PostgresClient } from './postgres-client';
import { databaseTypes } from './timestamp-parser';

/** Connections of a program, whose commands run one statement at a time. */
const PROGRAM_POOL_SIZE = 2;

/** Partitioned as well, but without an entity. */
const EVENT_LOG = 'event_log';

/** Selects the schema and tables on which the role lacks rights. It must own the tables whose partitions it creates. */
const MISSING_RIGHTS_SQL = `
  SELECT 'the schema ' || current_schema() AS name WHERE NOT has_schema_privilege(current_schema(), 'CREATE')
  UNION ALL
  SELECT name FROM unnest($1::text[]) AS name LEFT JOIN pg_class c ON c.oid = to_regclass(quote_ident(name))
   WHERE c.oid IS NULL OR c.relkind = 'p' AND NOT pg_has_role(c.relowner, 'USAGE')
      OR NOT (SELECT bool_and(has_table_privilege(c.oid, each))
                FROM unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS each)`;

type Entities = NonNullable<DataSourceOptions['entities']>;

/** Naming strategy that maps `createdAt` in an entity to `created_at` in its table. */
export class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName || propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

/** Thrown at start with `MIGRATE_ON_START=false` if the database is older than this release. */
export class PendingMigrationsError extends Error {
  constructor(pending: readonly string[]) {
    super(`Migrations are pending: ${pending.join(', ')}. Run the admin command "migrate" first.`);
    this.name = 'PendingMigrationsError';
  }
}

/** DataSource that releases its locks and its embedded database when it is destroyed. */
class OwningDataSource extends DataSource {
  onDestroyed: () => Promise<void> = () => Promise.resolve();

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.onDestroyed();
  }
}

/**
 * Acquires the lock that the kind of database requires, connects and runs pending migrations.
 * @throws DataDirInUseError, EmbeddedDatabaseError, SecondInstanceError, DatabaseConnectionError, MigrationLockError,
 *   PendingMigrationsError
 */
export async function openDataSource(config: Config, entities: Entities): Promise<DataSource> {
  const { database } = config;
  return database.kind === 'embedded'
    ? openEmbeddedDataSource(database.dataDir, entities)
    : openPostgresDataSource(database, entities, config.redisUrl !== null);
}

/**
 * Connects to PostgreSQL beside running instances, without a lock and without migrations. Opens the embedded database
 * like `openDataSource`.
 * @throws DataDirInUseError, EmbeddedDatabaseError
 */
export async function connectDataSource({ database }: Config, entities: Entities): Promise<DataSource> {
  if (database.kind === 'embedded') return openEmbeddedDataSource(database.dataDir, entities);
  const extra = {
    Client: PostgresClient,
    max: PROGRAM_POOL_SIZE,
    application_name: 'external-api-admin',
    types: databaseTypes,
    onConnect: (client: Client) => applyConnectionSettings(client),
  };
  return new DataSource({ ...buildCommonOptions(entities), url: database.url, extra }).initialize();
}

async function openEmbeddedDataSource(dataDir: string, entities: Entities): Promise<DataSource> {
  const lock = await DataDirLock.acquireLock(dataDir);
  try {
    const engine = await EmbeddedDatabase.openDatabase(dataDir, exitWithError);
    const dataSource = new OwningDataSource({
      ...buildCommonOptions(entities),
      extra: {
        Client: engine.createClientClass(),
        max: 1,
        connectionTimeoutMillis: 30_000,
        types: databaseTypes,
        onConnect: traceConnection,
      },
    });
    dataSource.onDestroyed = async () => {
      await engine.closeDatabase();
      await lock.releaseLock();
    };
    await dataSource.initialize();
    await dataSource.runMigrations({ transaction: 'each' });
    return dataSource;
  } catch (error) {
    await lock.releaseLock();
    throw error;
  }
}

async function openPostgresDataSource(
  postgresConfig: PostgresConfig,
  entities: Entities,
  isShared: boolean,
): Promise<DataSource> {
  const { url, migratesOnStart, poolSize, connectionTimeoutSeconds, statementTimeoutSeconds } = postgresConfig;
  const lock = isShared ? null : await runAtMigrationUrl(postgresConfig, acquireInstanceLock);
  const connectionMonitor = new ConnectionMonitor({ connectionString: url }, statementTimeoutSeconds);
  const frequentStatements = new FrequentStatements();
  try {
    const dataSource = new OwningDataSource({
      ...buildCommonOptions(entities),
      url,
      extra: {
        Client: PostgresClient,
        max: poolSize,
        connectionTimeoutMillis: connectionTimeoutSeconds * 1_000,
        application_name: 'external-api',
        types: databaseTypes,
        onConnect: async (client: Client) => {
          const isDirect = await connectionMonitor.addConnection(client).catch((error: unknown) => {
            throw toConnectionError(error);
          });
          if (postgresConfig.preparesStatements ?? isDirect) frequentStatements.nameStatements(client);
          traceConnection(client);
        },
      },
    });
    dataSource.onDestroyed = async () => {
      connectionMonitor.stopMonitoring();
      await lock?.releaseLock();
    };
    await runAtMigrationUrl(postgresConfig, async (migrationUrl) => {
      if (migratesOnStart) await migratePostgres(migrationUrl);
      else await requireMigratedDatabase(migrationUrl);
    });
    connectionMonitor.startMonitoring();
    await dataSource.initialize();
    await requireRights(dataSource);
    return dataSource;
  } catch (error) {
    connectionMonitor.stopMonitoring();
    await lock?.releaseLock();
    throw error;
  }
}

function traceConnection(client: Client): void {
  if (isTracing()) traceStatements(client);
}

/** @throws PendingMigrationsError, DatabaseConnectionError */
async function requireMigratedDatabase(url: string): Promise<void> {
  const { pending } = await getMigrationState(url).catch((error: unknown) => {
    throw toConnectionError(error);
  });
  if (pending.length > 0) throw new PendingMigrationsError(pending);
}

/**
 * Requires the rights of docs/production.md#postgresql, without which background tasks would fail later.
 * @throws DatabaseConnectionError
 */
async function requireRights(dataSource: DataSource): Promise<void> {
  const tables = [...dataSource.entityMetadatas.map(({ tableName }) => tableName), EVENT_LOG];
  const rows = await dataSource.query<{ name: string }[]>(MISSING_RIGHTS_SQL, [tables]);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw toConnectionError(new Error(`its role lacks rights (docs/production.md#postgresql) on ${names}`));
}

async function acquireInstanceLock(url: string): Promise<SingleInstanceLock> {
  try {
    // Exits when the lock is lost: otherwise two processes would serve the same devices.
    return await SingleInstanceLock.acquireLock(url, exitWithError);
  } catch (error) {
    throw error instanceof SecondInstanceError ? error : toConnectionError(error);
  }
}

/** Exits immediately. The supervisor decides whether to restart the process. */
function exitWithError(error: Error): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function buildCommonOptions(entities: Entities) {
  return {
    type: 'postgres' as const,
    // TypeORM would look for it by its name, which a bundle can't contain.
    driver: pg,
    entities,
    migrations,
    namingStrategy: new SnakeNamingStrategy(),
    uuidExtension: 'pgcrypto' as const,
    installExtensions: false,
  };
}
