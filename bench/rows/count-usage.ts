import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { LoadGenerator } from '../support/load-generator';
import { BenchFixture } from '../support/bench-fixture';
import { createReadMeasurement, warmUpMeasurements } from '../support/read-measurement';

const PATH = '/external/v1/machines';

export const countUsageRow: BenchmarkRow = {
  name: 'count-usage',
  figure: 'GET /machines with usage counted',
  against: 'the same build without usage counts',
  unit: '/s',
  ratioGoal: { atLeast: 0.95 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      // Both sides are the single files of the build, of which the peer leaves one out.
      const benchFixture = benchCleanup.add(await BenchFixture.start(1, {}, 'services', 'dist/src/main.js'));
      const uncounted = await benchFixture.addInstance('bench/support/without-usage.cjs');
      const readOptions = {
        loadGenerator: benchCleanup.add(new LoadGenerator()),
        connections: 32,
        seconds: 1,
      };
      const measured = createReadMeasurement(readOptions, benchFixture.firstInstance, PATH, benchFixture.token);
      const peer = createReadMeasurement(readOptions, uncounted, PATH, benchFixture.token);
      await warmUpMeasurements(6, measured, peer);
      await requireCounting(benchFixture, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Throws unless the measured side counts usage and its peer doesn't. */
async function requireCounting(benchFixture: BenchFixture, ...sides: (() => Promise<number>)[]): Promise<void> {
  const counted = async () => {
    // Counts are written every half second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const [row] = await benchFixture.query<{ sum: string | null }>('SELECT sum(requests) FROM usage_counts');
    return Number(row!.sum);
  };
  const seen = [await counted()];
  for (const side of sides) {
    await side();
    seen.push(await counted());
  }
  const [before, afterMeasured, afterPeer] = seen as [number, number, number];
  if (afterMeasured === before || afterPeer !== afterMeasured) {
    throw new Error(`unexpected usage counts: ${seen.join(', ')}`);
  }
}
