import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE_MS = 50;
const KIB = 1_024;

/** Returns the resident set of a process in bytes. */
export function readResidentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kib) * KIB;
}

/** Returns the maximum resident set of a process during `work`, in bytes. */
export async function measurePeakResidentBytes(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = readResidentBytes(pid);
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      peak = Math.max(peak, readResidentBytes(pid));
      await sleep(SAMPLE_MS);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await sampling;
  }
  return peak;
}
