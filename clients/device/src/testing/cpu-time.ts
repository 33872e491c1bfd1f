/** Expects that the CPU time grows with the count: ten times of it take a hundred times as long if it is quadratic. */
export function expectLinearTime(run: (count: number) => void, count: number): void {
  // The garbage of other tests may be collected in one of the measurements.
  const measureRun = (repeatedCount: number) => Math.min(...[1, 2, 3].map(() => measureCpu(() => run(repeatedCount))));
  expect(measureRun(10 * count)).toBeLessThan(40 * measureRun(count));
}

/** Returns microseconds. */
export function measureCpu(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
