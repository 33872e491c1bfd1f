import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 2 * 1024 ** 3;
const FOLDER_PREFIX = 'external-api-test-';

/** Uses memory if there is enough: copying a database of a thousand files takes a second on disk. */
const baseFolder = hasFreeMemory() ? MEMORY_FOLDER : tmpdir();

/** Creates a folder for one test. Its name contains the id of the process that must remove it. */
export function createScratchFolder(): string {
  return mkdtempSync(join(baseFolder, `${FOLDER_PREFIX}${process.pid}-`));
}

/** Removes the folders of killed runs, which would otherwise stay in memory. */
export function removeOrphanedFolders(): void {
  for (const name of readdirSync(baseFolder)) {
    const owner = /^\d+(?=-)/.exec(name.startsWith(FOLDER_PREFIX) ? name.slice(FOLDER_PREFIX.length) : '');
    if (owner && !isAlive(Number(owner[0]))) rmSync(join(baseFolder, name), { recursive: true, force: true });
  }
}

function hasFreeMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
