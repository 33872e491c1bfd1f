import { readFileSync } from 'node:fs';

/** Connections of callers and of the database, and the files that every process has open. */
const OTHER_DESCRIPTORS = 1_000;

/**
 * Checks the hard limit of open files, to which Node raises its own limit.
 * @throws Error if the limit is too low for the sockets
 */
export function requireFileDescriptors(sockets: number): void {
  const hard = readHardLimit();
  if (hard !== null && hard < sockets + OTHER_DESCRIPTORS) {
    throw new Error(`the limit of open files is ${hard} (ulimit -Hn); ${sockets + OTHER_DESCRIPTORS} are required`);
  }
}

/** Returns null if the limit is unknown or there is none. */
function readHardLimit(): number | null {
  try {
    const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return hard === undefined ? null : Number(hard);
  } catch {
    return null;
  }
}
