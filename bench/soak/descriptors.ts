import { readFileSync } from 'node:fs';

/** Callers' connections, the database's, and what a process has open anyway. */
const OTHERS = 1_000;

/**
 * Node raises its limit of open files to the hard one by itself; that has to do.
 * @throws Error where the service could not hold so many sockets
 */
export function requireDescriptors(sockets: number): void {
  const hard = hardLimit();
  if (hard !== null && hard < sockets + OTHERS) {
    throw new Error(`at most ${hard} files may be open here (ulimit -Hn): ${sockets + OTHERS} are needed`);
  }
}

/** Null where it is not told or there is none. */
function hardLimit(): number | null {
  try {
    const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return hard === undefined ? null : Number(hard);
  } catch {
    return null;
  }
}
