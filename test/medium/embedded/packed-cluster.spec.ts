import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrations } from '../../../migrations';
import { unpackEmptyCluster } from '../../../src/core/database/packed-cluster';
import { findSchemaDifferences, readLiveSchema, type SchemaSnapshot } from '../../../src/core/database/schema';
import { createTempFolder } from '../../support/temp-folder';

const SNAPSHOT_FILE = join(__dirname, '..', '..', '..', 'migrations', 'schema.json');

describe('the empty database of the build', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(createTempFolder(), 'pg');
    mkdirSync(folder);
    unpackEmptyCluster(folder);
  });

  it('is for its owner only', () => {
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(entries.length).toBeGreaterThan(500);
    const open = entries.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  it('has all migrations and exactly their schema', async () => {
    const pglite = await PGlite.create(folder);
    const { rows } = await pglite.query<{ name: string }>('SELECT name FROM migrations ORDER BY timestamp, id');
    expect(rows.map(({ name }) => name)).toEqual(migrations.map((migration) => new migration().name ?? migration.name));
    const expected = JSON.parse(readFileSync(SNAPSHOT_FILE, 'utf8')) as SchemaSnapshot;
    const live = await readLiveSchema(async (sql) => (await pglite.query<object>(sql)).rows);
    expect(findSchemaDifferences(expected, live)).toEqual([]);
    await pglite.close();
  });

  it('has no other database and one segment of the log', async () => {
    expect(readdirSync(join(folder, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))).toHaveLength(1);
    const pglite = await PGlite.create(folder);
    const { rows } = await pglite.query<{ datname: string }>('SELECT datname FROM pg_database');
    expect(rows).toEqual([{ datname: 'postgres' }]);
    await pglite.close();
  });
});
