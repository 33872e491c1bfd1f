/**
 * The schema that all migrations define, from the embedded database. Creating one takes seconds, so the text is cached
 * by the migrations, the code that reads the schema, and the version of the engine.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './lib.mjs';

/** Path of the snapshot in the repository. */
export const SCHEMA_SNAPSHOT = 'migrations/schema.json';

const CACHE_FILE = join(root, 'node_modules', '.cache', 'external-api', 'schema.json');

/** Returns the text of the snapshot. Requires an up-to-date build. */
export async function schemaSnapshot() {
  const version = computeVersion();
  const cached = readCache();
  if (cached?.version === version) return cached.text;
  const text = `${JSON.stringify(await readMigratedSchema(), null, 2)}\n`;
  mkdirSync(dirname(CACHE_FILE), { recursive: true });
  writeFileSync(CACHE_FILE, JSON.stringify({ version, text }));
  return text;
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

function computeVersion() {
  const migrations = readdirSync(join(root, 'dist', 'migrations')).filter((name) => name.endsWith('.js'));
  const files = [
    ...migrations.sort().map((name) => join('dist', 'migrations', name)),
    'dist/src/core/database/schema/schema-catalog.js',
    'node_modules/@electric-sql/pglite/package.json',
  ];
  const hash = createHash('sha256');
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function readCache() {
  try {
    return JSON.parse(readFileSync(CACHE_FILE, 'utf8'));
  } catch {
    return null;
  }
}
