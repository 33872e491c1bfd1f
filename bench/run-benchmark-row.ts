import type { RatioGoal, BenchmarkRow } from './benchmark-row';

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
  met: boolean;
  error: string | null;
}

/** Measures both sides alternately and reverses their order every round, so that drift affects both equally. */
export async function runBenchmarkRow(benchmarkRow: BenchmarkRow, rounds: number): Promise<BenchmarkResult> {
  const { name, figure, against, unit } = benchmarkRow;
  const about = { name, figure, against, unit, goal: formatGoal(benchmarkRow.ratioGoal) };
  try {
    const pairs = await measureRounds(benchmarkRow, Math.min(rounds, benchmarkRow.maxRounds ?? rounds));
    const ratios = pairs.map(([measured, peer]) => measured / peer);
    const ratio = median(ratios);
    return {
      ...about,
      measured: median(pairs.map(([measured]) => measured)),
      peer: median(pairs.map(([, peer]) => peer)),
      ratio,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      met:
        'atLeast' in benchmarkRow.ratioGoal
          ? ratio >= benchmarkRow.ratioGoal.atLeast
          : ratio <= benchmarkRow.ratioGoal.atMost,
      error: null,
    };
  } catch (error) {
    const nothing = { measured: null, peer: null, ratio: null, spread: null, met: false };
    return { ...about, ...nothing, error: (error as Error).message };
  }
}

async function measureRounds(benchmarkRow: BenchmarkRow, rounds: number): Promise<[measured: number, peer: number][]> {
  const benchComparison = await benchmarkRow.openComparison();
  const pairs: [number, number][] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) {
        const measured = await benchComparison.measured();
        pairs.push([measured, await benchComparison.peer()]);
      } else {
        const peer = await benchComparison.peer();
        pairs.push([await benchComparison.measured(), peer]);
      }
    }
    return pairs;
  } finally {
    await benchComparison.close();
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function formatGoal(ratioGoal: RatioGoal): string {
  return 'atLeast' in ratioGoal ? `≥ ${ratioGoal.atLeast}` : `≤ ${ratioGoal.atMost}`;
}
