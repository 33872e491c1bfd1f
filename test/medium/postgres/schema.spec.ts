import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { createApp } from '../../../src/bootstrap';
import { loadConfig } from '../../../src/core/config';
import { checkSchema } from '../../../src/core/database';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';

interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
}

const COLUMNS = `
  SELECT table_name AS "table", column_name AS "column",
         CASE data_type WHEN 'ARRAY' THEN substr(udt_name, 2) || '[]' ELSE data_type END AS type,
         is_nullable = 'YES' AS nullable
    FROM information_schema.columns
   WHERE table_schema = 'public' AND table_name <> 'migrations'
   ORDER BY 1, 2`;

describeWithPostgres('the schema', () => {
  let testDatabase: TestDatabase;
  let entityColumns: Column[];
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    const app = await createApp(loadConfig({ ...testDatabase.env, LOG_LEVEL: 'silent' }));
    entityColumns = app.get(DataSource).entityMetadatas.flatMap(({ tableName, columns }) =>
      columns.map((column) => ({
        table: tableName,
        column: column.databaseName,
        type: `${typeName(column.type as string)}${column.isArray ? '[]' : ''}`,
        nullable: column.isNullable,
      })),
    );
    await app.close();
  });
  afterAll(() => testDatabase.dropDatabase());

  it('has exactly the columns of the entities, with the same types and nullability', async () => {
    const tables = new Set(entityColumns.map(({ table }) => table));
    const columns = (await testDatabase.query<Column>(COLUMNS)).filter(({ table }) => tables.has(table));
    const sorted = entityColumns.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted).toEqual(columns.sort((a, b) => (key(a) < key(b) ? -1 : 1)));
    expect(tables.size).toBeGreaterThan(5);
  });

  it('is that of the embedded database, also after all migrations were reverted and run again', async () => {
    expect(await checkSchema(testDatabase.url)).toEqual([]);
    const dataSource = new DataSource({ type: 'postgres', url: testDatabase.url, migrations });
    await dataSource.initialize();
    for (let step = 0; step < migrations.length; step++) await dataSource.undoLastMigration();
    expect(await testDatabase.query(COLUMNS)).toEqual([]);
    expect(await testDatabase.query('SELECT * FROM migrations')).toEqual([]);
    await dataSource.runMigrations({ transaction: 'each' });
    await dataSource.destroy();
    expect(await checkSchema(testDatabase.url)).toEqual([]);
  });

  it('sorts ids in byte order, regardless of the database’s locale', async () => {
    const ids = await testDatabase.query<{ name: string; collation: string }>(`
      SELECT table_name || '.' || column_name AS name, collation_name AS collation FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'text' AND (column_name = 'id' OR column_name LIKE '%\\_id')
         AND table_name <> 'migrations'
         AND column_name NOT IN ('app_id', 'data_key_id', 'key_id', 'recipient_key_id')`);
    expect(ids.length).toBeGreaterThan(10);
    expect(ids.filter(({ collation }) => collation !== 'C')).toEqual([]);
  });
});

function key({ table, column }: Column): string {
  return `${table}.${column}`;
}

function typeName(type: string): string {
  return type === 'timestamptz' ? 'timestamp with time zone' : type;
}
