import type { Goal, Row } from './row';

/** What came of a row: medians over the rounds, and the median of the rounds' ratios. */
export interface Result {
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

/** Both sides in turn, and the other way round in the next round, so that drift and order fall on both alike. */
export async function runRow(row: Row, rounds: number): Promise<Result> {
  const { name, figure, against, unit } = row;
  const about = { name, figure, against, unit, goal: describe(row.goal) };
  try {
    const pairs = await sample(row, Math.min(rounds, row.maxRounds ?? rounds));
    const ratios = pairs.map(([measured, peer]) => measured / peer);
    const ratio = median(ratios);
    return {
      ...about,
      measured: median(pairs.map(([measured]) => measured)),
      peer: median(pairs.map(([, peer]) => peer)),
      ratio,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      met: 'atLeast' in row.goal ? ratio >= row.goal.atLeast : ratio <= row.goal.atMost,
      error: null,
    };
  } catch (error) {
    const nothing = { measured: null, peer: null, ratio: null, spread: null, met: false };
    return { ...about, ...nothing, error: (error as Error).message };
  }
}

async function sample(row: Row, rounds: number): Promise<[measured: number, peer: number][]> {
  const bench = await row.open();
  const pairs: [number, number][] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) {
        const measured = await bench.measured();
        pairs.push([measured, await bench.peer()]);
      } else {
        const peer = await bench.peer();
        pairs.push([await bench.measured(), peer]);
      }
    }
    return pairs;
  } finally {
    await bench.close();
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function describe(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
