import { createHash } from 'node:crypto';

/** Exceeds the caches of a core. */
const BASELINE_WORK = Buffer.alloc(8 * 2 ** 20, 'work');

/** Measures the CPU time of a SHA-256 over 8 MiB in µs. Its changes show changes of the machine's speed. */
export function measureBaselineUs(): number {
  const before = process.cpuUsage();
  createHash('sha256').update(BASELINE_WORK).digest();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
