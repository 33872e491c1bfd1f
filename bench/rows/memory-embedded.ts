import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackend } from '../../test/support/backend';
import type { BenchComparison, BenchmarkRow, Measurement } from '../benchmark-row';
import { findServiceMain } from '../support/service-checkout';
import { startService } from '../support/service-start';

const LIMIT_MIB = 200;
/** After this time the service has done what follows a start. */
const SETTLE_MS = 10_000;

export const memoryEmbeddedRow: BenchmarkRow = {
  name: 'memory-embedded',
  figure: 'private memory of an idle instance with the embedded database',
  against: `${LIMIT_MIB} MiB`,
  unit: 'MiB',
  ratioGoal: { atMost: 1 },
  maxRounds: 3,
  openComparison: () => openComparison(() => Promise.resolve(LIMIT_MIB)),
  openCheckoutComparison: (folder) => openComparison(() => measureIdleMib(folder)),
};

function openComparison(peer: Measurement): Promise<BenchComparison> {
  return Promise.resolve({ measured: () => measureIdleMib(), peer, close: () => Promise.resolve() });
}

/** Measures an instance that was started on a new folder. */
async function measureIdleMib(checkout?: string): Promise<number> {
  const backend = await createBackend('embedded');
  const { benchProcess } = await startService(findServiceMain(checkout), backend.env);
  try {
    await sleep(SETTLE_MS);
    return readPrivateDirtyMib(benchProcess.pid);
  } finally {
    await benchProcess.stop();
    await backend.dispose();
  }
}

/** Returns the memory that a process shares with no other one and can't give back: `Private_Dirty` of smaps_rollup. */
function readPrivateDirtyMib(pid: number): number {
  const [, kib] = /^Private_Dirty:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))!;
  return Number(kib) / 1_024;
}
