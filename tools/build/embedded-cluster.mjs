/**
 * Creates the files of an empty embedded database and migrates it. A service without a database unpacks them at its
 * first start (src/core/database/packed-cluster.ts). PGlite's `initdb` and the migrations take longer than the rest of
 * the start, and the memory of `initdb` is never returned.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { getOrCreateText } from '../text-cache.mjs';
import { writeWholeFile } from './whole-file.mjs';

const PACKAGE_FILE = join('node_modules', '@electric-sql', 'pglite', 'package.json');
const PREFIX = 'embedded-cluster-';
/** No one creates databases in the embedded engine, so that it needs no templates: they have half of all files. */
const SHRINK = [
  "UPDATE pg_database SET datistemplate = false WHERE datname IN ('template0', 'template1')",
  'DROP DATABASE template0',
  'DROP DATABASE template1',
  // Leaves one segment of the log, which begins empty.
  'SET wal_recycle = off',
  'SELECT pg_switch_wal()',
  'CHECKPOINT',
];

/** Does nothing if dist/ has the files of its engine and its migrations, or the code of no database. */
export async function buildEmbeddedCluster(folder) {
  const dist = join(folder, 'dist');
  const dataSource = join(dist, 'src', 'core', 'database', 'data-source.js');
  if (!existsSync(dataSource)) return;
  const { version } = JSON.parse(readFileSync(join(folder, PACKAGE_FILE), 'utf8'));
  const file = join(dist, `${PREFIX}${version}-${hashMigrations(join(dist, 'migrations'))}.gz`);
  if (existsSync(file)) return;
  // Those of other migrations, also after a build that was killed.
  const outdated = readdirSync(dist).filter((name) => name.startsWith(PREFIX));
  for (const name of outdated) rmSync(join(dist, name), { recursive: true });
  // Takes seconds, and a migration that is undone brings back those of the checkout before.
  const sources = [import.meta.filename, dataSource, join(dataSource, '..', 'embedded-database.js')];
  const code = sources.map((source) => readFileSync(source));
  const packed = await getOrCreateText('embedded-cluster', [basename(file), ...code], () => {
    const dataDir = join(dist, `${PREFIX}unfinished`);
    mkdirSync(dataDir);
    migrate(dataSource, dataDir);
    const files = packFolder(join(dataDir, 'pg'));
    rmSync(dataDir, { recursive: true });
    return files.toString('base64');
  });
  writeWholeFile(file, Buffer.from(packed, 'base64'));
}

/** Packs a line of JSON with the folders and the files with their sizes, and then the contents of the files. */
function packFolder(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const list = (isListed) =>
    entries
      .filter(isListed)
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));
  const names = list((entry) => entry.isFile());
  const contents = names.map((name) => readFileSync(join(folder, name)));
  const files = names.map((name, index) => [name, contents[index].length]);
  const head = JSON.stringify({ folders: list((entry) => entry.isDirectory()).sort(), files });
  return gzipSync(Buffer.concat([Buffer.from(`${head}\n`), ...contents]));
}

function hashMigrations(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const hash = createHash('sha256').update(JSON.stringify(SHRINK));
  for (const name of names.sort()) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}

/** A process of its own returns the memory of the engine. */
function migrate(dataSource, dataDir) {
  const config = { database: { kind: 'embedded', dataDir } };
  const script = `const { openDataSource } = require(${JSON.stringify(dataSource)});
    const shrink = ${JSON.stringify(SHRINK)};
    openDataSource(${JSON.stringify(config)}, []).then(async (dataSource) => {
      for (const statement of shrink) await dataSource.query(statement);
      await dataSource.destroy();
    });`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The embedded database can't be migrated:\n${stderr}`);
}
