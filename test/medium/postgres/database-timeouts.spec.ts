import type { DataSource } from 'typeorm';
import { loadConfig } from '../../../src/core/config';
import { openDataSource } from '../../../src/core/database/data-source';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';

describeWithPostgres('database connections', () => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    const env = {
      ...testDatabase.env,
      DATABASE_POOL_SIZE: '2',
      DATABASE_CONNECTION_TIMEOUT_SECONDS: '1',
      DATABASE_STATEMENT_TIMEOUT_SECONDS: '3',
    };
    dataSource = await openDataSource(loadConfig(env), []);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await testDatabase?.dropDatabase();
  });

  const measureFailure = async (sql: string) => {
    const startedAt = performance.now();
    const error = await dataSource.query(sql).then(
      () => null,
      (reason: Error) => reason,
    );
    return { message: error?.message, seconds: Math.round((performance.now() - startedAt) / 1_000) };
  };

  it('end a statement on the server after DATABASE_STATEMENT_TIMEOUT_SECONDS', async () => {
    const { message, seconds } = await measureFailure('SELECT pg_sleep(30)');
    expect(message).toBe('canceling statement due to statement timeout');
    expect(seconds).toBeGreaterThanOrEqual(3);
    expect(seconds).toBeLessThan(10);
    await expect(dataSource.query('SHOW statement_timeout')).resolves.toEqual([{ statement_timeout: '3s' }]);
  });

  it('end the wait for a connection after DATABASE_CONNECTION_TIMEOUT_SECONDS, while others are served', async () => {
    const used = ['a', 'b'].map(() => dataSource.query("SELECT pg_sleep(2.5), 'served' AS result"));
    const { message, seconds } = await measureFailure('SELECT 1');
    expect(message).toContain('timeout exceeded when trying to connect');
    expect(seconds).toBeLessThan(3);
    for (const result of await Promise.all(used)) expect(result).toMatchObject([{ result: 'served' }]);
  });

  it('keep the timeouts that end the session of a client that is away', async () => {
    const settings = ['idle_in_transaction_session_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_interval'];
    const rows = await dataSource.query('SELECT name, setting FROM pg_settings WHERE name = ANY($1) ORDER BY name', [
      settings,
    ]);
    expect(rows).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '30000' },
      { name: 'tcp_keepalives_idle', setting: '30' },
      { name: 'tcp_keepalives_interval', setting: '10' },
    ]);
  });

  it('prepare a frequent statement, which also works after a migration of its table', async () => {
    await dataSource.query('CREATE TABLE notes (id integer, name text)');
    await dataSource.query("INSERT INTO notes VALUES (1, 'first')");
    const texts = ['SELECT id, name FROM notes WHERE id = $1', 'SELECT * FROM notes WHERE id = $1'];
    const readAll = async () => {
      for (const text of texts) await expect(dataSource.query(text, [1])).resolves.toMatchObject([{ name: 'first' }]);
    };
    for (let n = 0; n < 20; n++) await readAll();
    const names = await dataSource.query('SELECT statement FROM pg_prepared_statements');
    expect(names).toEqual([{ statement: texts[0] }]);
    await dataSource.query('ALTER TABLE notes ADD COLUMN text text');
    await readAll();
  });
});
