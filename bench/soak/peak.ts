import { median } from '../run-row';
import type { Child } from '../support/child';
import type { CallerSecond } from './second';

const WARM_UP = { inFlight: 16, seconds: 10 };
const WIDTHS = [4, 8, 16, 32, 64];
/** Up the ramp so often: the best of single steps would be the luckiest one. */
const ROUNDS = 3;
const STEP_SECONDS = 3;
/** Of what the closed loop got. */
const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2];
const MINUTE_SECONDS = 60;
const PATIENCE_MS = 180_000;
/** In ms, of the p99 of the minute's median second: past it callers queue, and soon without end. */
export const KEEPS_UP_MS = 100;

/** A closed loop keeps so many calls in flight; what it gets a second is the median of the rounds. */
export interface Step {
  inFlight: number;
  rate: number;
}

/** A minute of an open loop. */
export interface Minute {
  /** Calls begun per second. */
  rate: number;
  /** In ms, of its median second. */
  p99: number;
}

export interface Peak {
  ramp: Step[];
  climb: Minute[];
  /** Calls a second: the last rate of the climb that was kept up with. */
  peak: number;
}

/**
 * What is kept up with when calls come whether or not others are answered. A closed loop says only where to look: it
 * waits for whoever is slow, so it gets more than callers who do not know of each other.
 */
export async function measurePeak(load: Child): Promise<Peak> {
  const ramp = await ascend(load);
  const climb: Minute[] = [];
  for (const share of SHARES) {
    const minute = await minuteAt(load, Math.round(bestOf(ramp).rate * share));
    climb.push(minute);
    if (minute.p99 > KEEPS_UP_MS) break;
  }
  const kept = climb.filter(({ p99 }) => p99 <= KEEPS_UP_MS).at(-1);
  if (!kept) throw new Error(`${climb[0]!.rate} calls a second are more than the service keeps up with`);
  return { ramp, climb, peak: kept.rate };
}

export function bestOf(ramp: Step[]): Step {
  return ramp.reduce((one, other) => (other.rate > one.rate ? other : one));
}

async function ascend(load: Child): Promise<Step[]> {
  await load.ask({ closed: WARM_UP }, 'rate');
  const rates = new Map<number, number[]>(WIDTHS.map((inFlight) => [inFlight, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [inFlight, seen] of rates) {
      seen.push(await load.ask<number>({ closed: { inFlight, seconds: STEP_SECONDS } }, 'rate'));
    }
  }
  return [...rates].map(([inFlight, seen]) => ({ inFlight, rate: Math.round(median(seen)) }));
}

async function minuteAt(load: Child, rate: number): Promise<Minute> {
  const seconds: CallerSecond[] = [];
  const stop = load.listen((message) => {
    const { second, last } = message as { second?: CallerSecond; last?: true };
    if (second && !last) seconds.push(second);
  });
  await load.ask({ open: { rate, seconds: MINUTE_SECONDS } }, 'events', PATIENCE_MS);
  stop();
  return { rate, p99: median(seconds.flatMap(({ all }) => (all ? [all.p99] : []))) };
}
