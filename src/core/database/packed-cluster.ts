import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PROJECT_ROOT } from '../../common/project-root';

const BUILD_FOLDER = join(PROJECT_ROOT, 'dist');
const NEW_LINE = 10;

/** First line of the packed files. The contents follow it in the order of `files`, which have these sizes in bytes. */
interface PackHead {
  folders: string[];
  files: [name: string, size: number][];
}

/**
 * Writes the files of an empty, migrated database, which the build has packed for this version of the engine, for their
 * owner only. Copying hundreds of files would take five times as long. Does nothing if the build has none.
 * @param target existing folder
 */
export function unpackEmptyCluster(target: string): void {
  const prefix = `embedded-cluster-${readEngineVersion()}-`;
  const name = readdirSync(BUILD_FOLDER).find((file) => file.startsWith(prefix) && file.endsWith('.gz'));
  if (name === undefined) return;
  const packed = readFileSync(join(BUILD_FOLDER, name));
  // The last four bytes of a gzip file are the length of its content, which a single chunk then holds.
  const content = gunzipSync(packed, { chunkSize: packed.readUInt32LE(packed.length - 4) });
  const headEnd = content.indexOf(NEW_LINE);
  const { folders, files } = JSON.parse(content.toString('utf8', 0, headEnd)) as PackHead;
  for (const folder of folders) mkdirSync(join(target, folder), { mode: 0o700 });
  let start = headEnd + 1;
  for (const [file, size] of files) {
    writeFileSync(join(target, file), content.subarray(start, start + size), { mode: 0o600 });
    start += size;
  }
}

function readEngineVersion(): string {
  const file = join(dirname(require.resolve('@electric-sql/pglite')), '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
