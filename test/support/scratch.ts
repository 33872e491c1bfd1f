import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;
const PREFIX = 'external-api-test-';

/** Memory where there is plenty: each file copies a database of a thousand files, which takes a disk a second. */
const base = hasRoom() ? MEMORY : tmpdir();

/** A new folder for one test; its name carries the process that has to remove it. */
export function scratchFolder(): string {
  return mkdtempSync(join(base, `${PREFIX}${process.pid}-`));
}

/** Removes what runs that were killed left behind: in memory nobody else would. */
export function removeOrphans(): void {
  for (const name of readdirSync(base)) {
    const owner = /^\d+(?=-)/.exec(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '');
    if (owner && !isAlive(Number(owner[0]))) rmSync(join(base, name), { recursive: true, force: true });
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES;
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
