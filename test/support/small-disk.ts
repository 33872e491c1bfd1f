import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from './dependencies';

const FILL_BLOCK = Buffer.alloc(4096, 'full');

/** Small disk in memory, which a test may fill and empty. */
export class SmallDisk {
  private constructor(readonly dir: string) {}

  /** Whether this user may mount a disk. */
  static canMountDisk(): boolean {
    const dir = mkdtempSync(join(tmpdir(), 'external-api-disk-'));
    const mounted = spawnSync('mount', buildMountArguments(dir, 1)).status === 0;
    if (mounted) spawnSync('umount', [dir]);
    rmdirSync(dir);
    return mounted;
  }

  static createDisk(megabytes: number): SmallDisk {
    const dir = mkdtempSync(join(tmpdir(), 'external-api-disk-'));
    execFileSync('mount', buildMountArguments(dir, megabytes));
    return new SmallDisk(dir);
  }

  /** @param leaving free bytes */
  fillDisk(leaving = 0): void {
    const file = openSync(this.ballastPath, 'a');
    try {
      while (leaving === 0 || this.getFreeBytes() > leaving) writeSync(file, FILL_BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Deletes the file of `fill`. */
  freeSpace(): void {
    rmSync(this.ballastPath);
  }

  removeDisk(): void {
    execFileSync('umount', ['--lazy', this.dir]);
    rmdirSync(this.dir);
  }

  private getFreeBytes(): number {
    const { bavail, bsize } = statfsSync(this.dir);
    return bavail * bsize;
  }

  private get ballastPath(): string {
    return join(this.dir, 'ballast');
  }
}

function buildMountArguments(dir: string, megabytes: number): string[] {
  return ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', dir];
}

/**
 * Returns `describe` for suites that fill a disk, and need these dependencies. Such a suite is skipped with a log line
 * if this user may not mount a disk.
 */
export const describeWithSmallDisks =
  (...names: string[]) =>
  (name: string, suite: () => void): void => {
    const canMountDisk = SmallDisk.canMountDisk();
    if (!canMountDisk) process.stderr.write(`Skipped: ${name}. This user may not mount a tmpfs.\n`);
    (canMountDisk ? describeWith(...names) : describe.skip)(name, suite);
  };
