/**
 * Creates the files of an empty embedded database in dist/, which a service without a database copies at its first
 * start. PGlite's `initdb` takes longer than the rest of the start, and its memory is never returned.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_FILE = join('node_modules', '@electric-sql', 'pglite', 'package.json');
/** Error codes of a rename to a folder that another build has just created. */
const EXISTS_CODES = ['EEXIST', 'ENOTEMPTY'];

/** Does nothing if the folder has the files of its version of the engine. */
export async function buildEmbeddedCluster(folder) {
  const { version } = JSON.parse(readFileSync(join(folder, PACKAGE_FILE), 'utf8'));
  const files = join(folder, 'dist', `embedded-cluster-${version}`);
  if (existsSync(files)) return;
  const unfinished = `${files}.${process.pid}`;
  // A build with the same process id may have been killed here.
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const { PGlite } = await import('@electric-sql/pglite');
  const pglite = await PGlite.create(unfinished);
  await pglite.close();
  makeReadable(unfinished);
  try {
    renameSync(unfinished, files);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!EXISTS_CODES.includes(error.code)) throw error;
  }
}

/** PGlite lets everybody write its files. The user of an image that runs the service only reads them. */
function makeReadable(files) {
  chmodSync(files, 0o755);
  for (const entry of readdirSync(files, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}
