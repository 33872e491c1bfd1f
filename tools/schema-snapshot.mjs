/** The schema that all migrations define, from the embedded database. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib.mjs';
import { getOrCreateText } from './text-cache.mjs';

/** Path of the snapshot in the repository. */
export const SCHEMA_SNAPSHOT = 'migrations/schema.json';

/** Returns the text of the snapshot. Requires an up-to-date build. */
export function schemaSnapshot() {
  return getOrCreateText(
    'schema',
    readSources(),
    async () => `${JSON.stringify(await readMigratedSchema(), null, 2)}\n`,
  );
}

async function readMigratedSchema() {
  const require = createRequire(import.meta.url);
  const { openDataSource } = require('../dist/src/core/database/data-source.js');
  const { readLiveSchema } = require('../dist/src/core/database/schema/index.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'external-api-schema-'));
  try {
    const dataSource = await openDataSource({ database: { kind: 'embedded', dataDir } }, []);
    try {
      return (await readLiveSchema((sql) => dataSource.query(sql))).snapshot;
    } finally {
      await dataSource.destroy();
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** Returns the migrations, the code that reads the schema, and the version of the engine. */
function readSources() {
  const migrations = readdirSync(join(root, 'dist', 'migrations')).filter((name) => name.endsWith('.js'));
  return [
    ...migrations.sort().map((name) => join('dist', 'migrations', name)),
    'dist/src/core/database/schema/schema-catalog.js',
    'node_modules/@electric-sql/pglite/package.json',
  ].map((file) => readFileSync(join(root, file)));
}
