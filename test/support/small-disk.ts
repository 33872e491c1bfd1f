import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(4096, 'full');

/** A disk of a test's own, in memory, which it may fill and empty. */
export class SmallDisk {
  private constructor(readonly dir: string) {}

  /** Whether this user may mount one. */
  static isPossible(): boolean {
    const dir = mkdtempSync(join(tmpdir(), 'external-api-disk-'));
    const mounted = spawnSync('mount', mount(dir, 1)).status === 0;
    if (mounted) spawnSync('umount', [dir]);
    rmdirSync(dir);
    return mounted;
  }

  static make(megabytes: number): SmallDisk {
    const dir = mkdtempSync(join(tmpdir(), 'external-api-disk-'));
    execFileSync('mount', mount(dir, megabytes));
    return new SmallDisk(dir);
  }

  /** @param leaving room for so many bytes */
  fill(leaving = 0): void {
    const file = openSync(this.ballast, 'a');
    try {
      while (leaving === 0 || this.room() > leaving) writeSync(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Takes back what `fill` wrote. */
  makeRoom(): void {
    rmSync(this.ballast);
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.dir]);
    rmdirSync(this.dir);
  }

  private room(): number {
    const { bavail, bsize } = statfsSync(this.dir);
    return bavail * bsize;
  }

  private get ballast(): string {
    return join(this.dir, 'ballast');
  }
}

function mount(dir: string, megabytes: number): string[] {
  return ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', dir];
}

/** `describe` for suites that fill a disk; elsewhere left out with a line that says so: no service is missing, but a right. */
export function describeWithSmallDisks(name: string, suite: () => void): void {
  if (SmallDisk.isPossible()) {
    describe(name, suite);
    return;
  }
  process.stderr.write(`Left out: ${name}. This user may not mount a tmpfs.\n`);
  describe.skip(name, suite);
}
