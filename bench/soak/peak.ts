import { median } from '../run-benchmark-row';
import type { BenchProcess } from '../support/bench-process';
import type { CallerSecond } from './call-recorder';

const WARM_UP = { inFlight: 16, seconds: 10 };
const RAMP_IN_FLIGHT = [4, 8, 16, 32, 64];
/** Rounds of the closed loop. A single round would select the luckiest step. */
const ROUNDS = 3;
const STEP_SECONDS = 3;
/** Shares of the closed loop's rate. */
const RATE_SHARES = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2];
/** Time for the last calls of a step. */
const STEP_MARGIN_MS = 120_000;
/** Limit in ms of the p99 of a step's median second. Above it, calls queue without end. */
export const MAX_P99_MS = 100;

/** Step of the closed loop: its concurrent calls, and its calls per second as the median of the rounds. */
export interface RampStep {
  inFlight: number;
  rate: number;
}

/** A step of an open loop. */
export interface OpenLoopStep {
  /** Calls started per second. */
  rate: number;
  /** In ms, of the median second. */
  p99: number;
}

export interface PeakMeasurement {
  ramp: RampStep[];
  climb: OpenLoopStep[];
  /** Highest rate of the open loop with a p99 of at most `MAX_P99_MS`, in calls per second. */
  peak: number;
}

/**
 * Measures the highest rate that the service sustains in an open loop. A closed loop only finds the range: it waits for
 * slow responses and therefore reaches higher rates than independent callers.
 * @param stepSeconds length of each rate of the open loop
 */
export async function measurePeak(load: BenchProcess, stepSeconds: number): Promise<PeakMeasurement> {
  const ramp = await measureRamp(load);
  const climb: OpenLoopStep[] = [];
  for (const share of RATE_SHARES) {
    const openLoopStep = await measureStep(load, Math.round(findBestStep(ramp).rate * share), stepSeconds);
    climb.push(openLoopStep);
    if (openLoopStep.p99 > MAX_P99_MS) break;
  }
  const lastSustained = climb.filter(({ p99 }) => p99 <= MAX_P99_MS).at(-1);
  if (!lastSustained) throw new Error(`the service doesn't sustain ${climb[0]!.rate} calls per second`);
  return { ramp, climb, peak: lastSustained.rate };
}

export function findBestStep(ramp: RampStep[]): RampStep {
  return ramp.reduce((best, other) => (other.rate > best.rate ? other : best));
}

async function measureRamp(load: BenchProcess): Promise<RampStep[]> {
  await load.sendRequest({ closed: WARM_UP }, 'rate');
  const rates = new Map<number, number[]>(RAMP_IN_FLIGHT.map((inFlight) => [inFlight, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [inFlight, seen] of rates) {
      seen.push(await load.sendRequest<number>({ closed: { inFlight, seconds: STEP_SECONDS } }, 'rate'));
    }
  }
  return [...rates].map(([inFlight, seen]) => ({ inFlight, rate: Math.round(median(seen)) }));
}

async function measureStep(load: BenchProcess, rate: number, length: number): Promise<OpenLoopStep> {
  const seconds: CallerSecond[] = [];
  const stop = load.listenForMessages((message) => {
    const { second, last } = message as { second?: CallerSecond; last?: true };
    if (second && !last) seconds.push(second);
  });
  await load.sendRequest({ open: { rate, seconds: length } }, 'events', length * 1_000 + STEP_MARGIN_MS);
  stop();
  return { rate, p99: median(seconds.flatMap(({ all }) => (all ? [all.p99] : []))) };
}
