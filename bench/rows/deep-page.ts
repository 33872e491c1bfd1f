import { insertManySessions } from '../../test/support/large-tables';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { LoadGenerator } from '../support/load-generator';
import { BenchFixture } from '../support/bench-fixture';
import { createReadMeasurement, warmUpMeasurements } from '../support/read-measurement';

const PATH = '/external/v1/sessions?limit=50';
/** Sizes of the pages before page 1,000 of 50 rows, read in pages of the maximum size. */
const STRIDES = [...Array<number>(249).fill(200), 150];

export const deepPageRow: BenchmarkRow = {
  name: 'deep-page',
  figure: 'page 1,000 of GET /sessions',
  against: 'page 1',
  unit: '/s',
  ratioGoal: { atLeast: 0.9 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      await insertManySessions(benchFixture, benchFixture.ada.accountId, 100_000);
      await benchFixture.query('ANALYZE');
      const cursor = await fetchCursorOfPage1000(benchFixture);
      const readOptions = {
        loadGenerator: benchCleanup.add(new LoadGenerator()),
        connections: 16,
        seconds: 1,
      };
      const measured = createReadMeasurement(
        readOptions,
        benchFixture.firstInstance,
        `${PATH}&cursor=${cursor}`,
        benchFixture.token,
      );
      const peer = createReadMeasurement(readOptions, benchFixture.firstInstance, PATH, benchFixture.token);
      await warmUpMeasurements(4, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

async function fetchCursorOfPage1000({ firstInstance: first, token }: BenchFixture): Promise<string> {
  let cursor = '';
  for (const limit of STRIDES) {
    const url = `${first.url}/external/v1/sessions?limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    ({ nextCursor: cursor } = (await answer.json()) as { nextCursor: string });
  }
  return cursor;
}
