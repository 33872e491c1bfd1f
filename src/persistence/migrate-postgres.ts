import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from '../../migrations';
import { withMigrationLock } from './advisory-locks';

/** A step that cannot have its table gives up: while it waits, everybody else's statements queue behind it. */
const LOCK_TIMEOUT_MS = 5_000;

/** Brings the schema up to date; of several instances that start at once one does, the others wait for it. */
export function migratePostgres(url: string, steps: DataSourceOptions['migrations'] = migrations): Promise<void> {
  return withMigrationLock(url, async () => {
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      migrations: steps,
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
