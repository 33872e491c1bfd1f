import type { Options } from './options';
import type { Random } from './random';

/** What a device waits before its next attempt, in ms: the rule of src/reference-device/machine/backoff.ts. */
export function backoffMs(
  attempts: number,
  { firstBackoffMs, maxBackoffMs, backoffFloor }: Pick<Options, 'firstBackoffMs' | 'maxBackoffMs' | 'backoffFloor'>,
  random: Pick<Random, 'next'>,
): number {
  const full = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts, 30));
  return full * backoffFloor + random.next() * full * (1 - backoffFloor);
}
