import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createTempFolder } from './temp-folder';

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 2 * 1024 ** 3;

/** Uses memory if there is enough: copying a database of a thousand files takes a second on disk. */
const parent = hasFreeMemory() ? MEMORY_FOLDER : tmpdir();

/** Creates a folder as `createTempFolder` does, in memory. */
export const createScratchFolder = (): string => createTempFolder(parent);

function hasFreeMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
