import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Processes at once, as many as test files run at a time. */
const PROCESSES = 3;
/** Starts of each of them. Tests mostly wait for programs that start, in which machines differ most. */
const STARTS = 5;
const WORK = `const { createHash } = require('node:crypto');
let digest = Buffer.alloc(32);
for (let round = 0; round < 20_000; round++) digest = createHash('sha256').update(digest).digest();`;
/** How long that takes on two idle cores of a fast machine. */
const FAST_MS = 450;
const MAX_FACTOR = 4;

/**
 * Measures how much longer this machine needs for the start and the work of a few processes than a fast one, with what
 * else it has to do now. Waits that aren't the subject of a test are that much longer.
 *
 * @returns 1 on a fast machine, up to 4
 */
export async function measureWaitFactor() {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: PROCESSES }, runWork));
  const factor = (performance.now() - startedAt) / FAST_MS;
  return Math.min(MAX_FACTOR, Math.max(1, Math.round(factor * 10) / 10));
}

async function runWork() {
  for (let start = 0; start < STARTS; start++)
    await once(spawn(process.execPath, ['-e', WORK], { env: {}, stdio: 'ignore' }), 'exit');
}
