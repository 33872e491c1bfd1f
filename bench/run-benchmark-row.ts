import type { BenchmarkRow, DetailedValue, Measurement, RatioGoal } from './benchmark-row';

/** Result of a row: medians over the rounds, and the median of the rounds' ratios. */
export interface BenchmarkResult {
  name: string;
  figure: string;
  against: string;
  unit: string;
  goal: string;
  measured: number | null;
  peer: number | null;
  ratio: number | null;
  /** The lowest and the highest ratio of a round. */
  spread: [number, number] | null;
  /** Medians of the figures that explain the values of a side. */
  details: { measured: Record<string, number>; peer: Record<string, number> } | null;
  met: boolean;
  error: string | null;
}

/**
 * Measures both sides alternately, so that drift affects both equally. Neither is measured twice in a row: the second
 * sample costs some 5 % more, so that an order that changes would favour one side in an odd number of rounds.
 */
export async function runBenchmarkRow(benchmarkRow: BenchmarkRow, rounds: number): Promise<BenchmarkResult> {
  const { name, figure, against, unit } = benchmarkRow;
  const about = { name, figure, against, unit, goal: formatGoal(benchmarkRow.ratioGoal) };
  try {
    const pairs = await measureRounds(benchmarkRow, Math.min(rounds, benchmarkRow.maxRounds ?? rounds));
    const ratios = pairs.map(([measured, peer]) => measured.value / peer.value);
    const ratio = median(ratios);
    const [measured, peer] = [pairs.map(([side]) => side), pairs.map(([, side]) => side)];
    return {
      ...about,
      measured: median(measured.map(({ value }) => value)),
      peer: median(peer.map(({ value }) => value)),
      ratio,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      details: { measured: computeMedianDetails(measured), peer: computeMedianDetails(peer) },
      met: isGoalMet(benchmarkRow.ratioGoal, ratio),
      error: null,
    };
  } catch (error) {
    const nothing = { measured: null, peer: null, ratio: null, spread: null, details: null, met: false };
    return { ...about, ...nothing, error: (error as Error).message };
  }
}

type Pair = [measured: DetailedValue, peer: DetailedValue];

async function measureRounds(benchmarkRow: BenchmarkRow, rounds: number): Promise<Pair[]> {
  const benchComparison = await benchmarkRow.openComparison();
  const pairs: Pair[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const measured = await takeSample(benchComparison.measured);
      pairs.push([measured, await takeSample(benchComparison.peer)]);
    }
    return pairs;
  } finally {
    await benchComparison.close();
  }
}

async function takeSample(measure: Measurement): Promise<DetailedValue> {
  const sample = await measure();
  return typeof sample === 'number' ? { value: sample, details: {} } : sample;
}

function computeMedianDetails(samples: DetailedValue[]): Record<string, number> {
  const names = Object.keys(samples[0]!.details);
  return Object.fromEntries(names.map((name) => [name, median(samples.map(({ details }) => details[name]!))]));
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function isGoalMet(ratioGoal: RatioGoal | null, ratio: number): boolean {
  if (ratioGoal === null) return true;
  return 'atLeast' in ratioGoal ? ratio >= ratioGoal.atLeast : ratio <= ratioGoal.atMost;
}

/** Returns an empty text without a goal. */
function formatGoal(ratioGoal: RatioGoal | null): string {
  if (ratioGoal === null) return '';
  return 'atLeast' in ratioGoal ? `≥ ${ratioGoal.atLeast}` : `≤ ${ratioGoal.atMost}`;
}
