import { median } from '../run-row';
import type { Child } from '../support/child';

const WARM_UP = { inFlight: 16, seconds: 10 };
const WIDTHS = [4, 8, 16, 32, 64];
/** Up the ramp so often: the best of single steps would be the luckiest one. */
const ROUNDS = 3;
const STEP_SECONDS = 3;
/** What a few seconds show lasts no longer: checkpoints, vacuum and the collector come later. */
const SUSTAINED_SECONDS = 60;

export interface Step {
  inFlight: number;
  /** Answers per second, the median of the rounds. */
  rate: number;
}

/** The most answers a second that a closed loop of the same mix gets for a minute, at the width that a ramp found best. */
export async function measurePeak(load: Child): Promise<{ peak: number; ramp: Step[] }> {
  await load.ask({ closed: WARM_UP }, 'rate');
  const rates = new Map<number, number[]>(WIDTHS.map((inFlight) => [inFlight, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [inFlight, seen] of rates) {
      seen.push(await load.ask<number>({ closed: { inFlight, seconds: STEP_SECONDS } }, 'rate'));
    }
  }
  const ramp = [...rates].map(([inFlight, seen]) => ({ inFlight, rate: Math.round(median(seen)) }));
  const sustained = { inFlight: bestOf(ramp).inFlight, seconds: SUSTAINED_SECONDS };
  const patienceMs = (SUSTAINED_SECONDS + 60) * 1_000;
  return { peak: Math.round(await load.ask<number>({ closed: sustained }, 'rate', patienceMs)), ramp };
}

export function bestOf(ramp: Step[]): Step {
  return ramp.reduce((one, other) => (other.rate > one.rate ? other : one));
}
