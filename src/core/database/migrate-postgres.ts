import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from '../../../migrations';
import { runWithMigrationLock } from './advisory-locks';

/** Timeout for table locks: while a migration waits for one, all other statements on the table queue behind it. */
const LOCK_TIMEOUT_MS = 5_000;

/** Runs pending migrations. If several instances start at once, one migrates and the others wait. */
export function migratePostgres(
  url: string,
  migrationsToRun: DataSourceOptions['migrations'] = migrations,
): Promise<void> {
  return runWithMigrationLock(url, async () => {
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      migrations: migrationsToRun,
      installExtensions: false,
      extra: { max: 1, lock_timeout: LOCK_TIMEOUT_MS, application_name: 'external-api migrations' },
    });
    await dataSource.initialize();
    try {
      await dataSource.runMigrations({ transaction: 'each' });
    } finally {
      await dataSource.destroy();
    }
  });
}
