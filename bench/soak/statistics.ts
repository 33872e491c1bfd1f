import { median } from '../run-benchmark-row';

/**
 * Returns the Theil–Sen slope of values over time: the median of the slopes of all pairs, which tolerates up to 29 % of
 * outliers. Samples every nth value of a long series.
 * @param points of time and value
 * @returns units of value per unit of time; 0 for fewer than two points
 */
export function computeSlope(points: readonly (readonly [time: number, value: number])[], atMost = 400): number {
  const every = Math.ceil(points.length / atMost);
  const some = points.filter((_, i) => i % every === 0);
  const slopes: number[] = [];
  for (let i = 0; i < some.length; i++) {
    for (let j = i + 1; j < some.length; j++) {
      const [[t1, v1], [t2, v2]] = [some[i]!, some[j]!];
      if (t1 !== t2) slopes.push((v2 - v1) / (t2 - t1));
    }
  }
  return slopes.length === 0 ? 0 : median(slopes);
}

export function sumValues(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
