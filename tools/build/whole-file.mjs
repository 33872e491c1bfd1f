import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file so that no reader sees a part of it, also if this process is killed meanwhile. */
export function writeWholeFile(path, content) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, path);
}
