import { createHash } from 'node:crypto';

/** Larger than the caches of a core. */
const WORK = Buffer.alloc(8 * 2 ** 20, 'work');

/** CPU in µs of one SHA-256 of 8 MiB: the same work each time, so what it takes tells of the machine alone. */
export function workUs(): number {
  const before = process.cpuUsage();
  createHash('sha256').update(WORK).digest();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
