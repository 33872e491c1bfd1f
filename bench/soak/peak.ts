import { median } from '../run-row';
import type { Child } from '../support/child';

const WARM_UP = { inFlight: 16, seconds: 10 };
const WIDTHS = [4, 8, 16, 32, 64];
/** Up the ramp so often: the best of single steps would be the luckiest one. */
const ROUNDS = 3;
const STEP_SECONDS = 3;
/** What a few seconds show does not last: checkpoints, vacuum and the collector come later, and a machine may become slower. */
const SUSTAINED_MINUTES = 5;
const MINUTE_SECONDS = 60;

export interface Step {
  inFlight: number;
  /** Answers per second, the median of the rounds. */
  rate: number;
}

/** What a closed loop of the mix got. */
export interface Peak {
  ramp: Step[];
  /** Answers per second in each minute, one after the other, at the width that the ramp found best. */
  minutes: number[];
  /** That of the last minute: what lasts. */
  peak: number;
}

export async function measurePeak(load: Child): Promise<Peak> {
  await load.ask({ closed: WARM_UP }, 'rate');
  const rates = new Map<number, number[]>(WIDTHS.map((inFlight) => [inFlight, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [inFlight, seen] of rates) {
      seen.push(await load.ask<number>({ closed: { inFlight, seconds: STEP_SECONDS } }, 'rate'));
    }
  }
  const ramp = [...rates].map(([inFlight, seen]) => ({ inFlight, rate: Math.round(median(seen)) }));
  const closed = { inFlight: bestOf(ramp).inFlight, seconds: MINUTE_SECONDS };
  const minutes: number[] = [];
  while (minutes.length < SUSTAINED_MINUTES) {
    minutes.push(Math.round(await load.ask<number>({ closed }, 'rate', 2 * MINUTE_SECONDS * 1_000)));
  }
  return { ramp, minutes, peak: minutes.at(-1)! };
}

export function bestOf(ramp: Step[]): Step {
  return ramp.reduce((one, other) => (other.rate > one.rate ? other : one));
}
