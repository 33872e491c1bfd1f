/** The top of an axis that holds `highest`: a round number whose half is a whole one. */
export function topOf(highest: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, highest))));
  const tops = [1, 2, 4, 6, 8, 10].map((step) => step * power);
  return tops.find((top) => top >= highest && top % 2 === 0)!;
}
