import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FOLDER } from './ensure-service-built';

const DATABASE_CODE = join(BUILD_FOLDER, 'src', 'core', 'database');

/** PGlite clears all shared buffers at each start. With its default of 128 MB, that is half of the time of a start. */
const FAST_START_SETTINGS = '\nshared_buffers = 16MB\n';

/** Returns a hash of all that determines a migrated, empty database: templates with this version stay valid. */
export function computeTemplateVersion(): string {
  const migrations = join(BUILD_FOLDER, 'migrations');
  const files = readdirSync(migrations).filter((name) => name.endsWith('.js'));
  const hash = createHash('sha256').update(readPgliteVersion() + FAST_START_SETTINGS);
  const databaseCode = ['data-source.js', 'embedded-database.js', 'migrate-postgres.js'];
  for (const path of [
    ...files.sort().map((name) => join(migrations, name)),
    ...databaseCode.map((name) => join(DATABASE_CODE, name)),
  ])
    hash.update(`\0${path.slice(BUILD_FOLDER.length)}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

/** Creates and migrates the embedded database of a data folder. */
export function migrateDataFolder(dataDir: string): void {
  const config = { database: { kind: 'embedded', dataDir } };
  runOnBuild(`const { openDataSource } = require(${JSON.stringify(join(DATABASE_CODE, 'data-source.js'))});
    openDataSource(${JSON.stringify(config)}, []).then((dataSource) => dataSource.destroy());`);
  appendFileSync(join(dataDir, 'pg', 'postgresql.conf'), FAST_START_SETTINGS);
}

/** Migrates an empty PostgreSQL database. */
export function migrateDatabase(url: string): void {
  runOnBuild(`const { migratePostgres } = require(${JSON.stringify(join(DATABASE_CODE, 'migrate-postgres.js'))});
    migratePostgres(${JSON.stringify(url)});`);
}

/** A process of its own gives back the memory of the engine, and Jest needn't compile the service for it. */
function runOnBuild(script: string): void {
  const { status } = spawnSync(process.execPath, ['-e', script], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The template database could not be migrated.');
}

function readPgliteVersion(): string {
  const path = join(__dirname, '..', '..', 'node_modules', '@electric-sql', 'pglite', 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
