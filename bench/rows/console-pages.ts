import { ConsoleClient } from '../../test/support/console-client';
import { median } from '../run-benchmark-row';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';

const PAGES = ['tokens', 'apps', 'authorized-apps', 'webhooks', 'devices', 'activity', 'usage'];
const LIMIT_MS = 50;
const TOKENS = 40;
const CALLS = 60;
const VISITS = 20;

export const consolePagesRow: BenchmarkRow = {
  name: 'console-pages',
  figure: `the slowest of the console’s ${PAGES.length} pages, full, on the embedded database`,
  against: `${LIMIT_MS} ms`,
  unit: 'ms',
  ratioGoal: { atMost: 0.5 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start(1, {}, 'embedded'));
      await insertConsoleData(benchFixture);
      const consoleClient = await ConsoleClient.signIn(benchFixture.firstInstance.url, benchFixture.ada);
      const visit = async (page: string) => {
        const from = performance.now();
        const { status } = await consoleClient.get(`/console/${page}`);
        if (status !== 200) throw new Error(`/console/${page} responded with ${status}`);
        return performance.now() - from;
      };
      const typical = async (page: string) => {
        const times: number[] = [];
        for (let n = 0; n < VISITS; n++) times.push(await visit(page));
        return median(times);
      };
      const slowest = async () => {
        const times: number[] = [];
        for (const page of PAGES) times.push(await typical(page));
        return Math.max(...times);
      };
      await slowest();
      return { measured: slowest, peer: () => Promise.resolve(LIMIT_MS), close: benchCleanup.close };
    });
  },
};

/** Creates nearly the maximum of tokens, and more than a page of calls that found no device. */
async function insertConsoleData({ firstInstance: first, ada }: BenchFixture): Promise<void> {
  const machine = await ada.pairDevice('machine');
  const body = { name: 'box', platform: 'linux' };
  const httpResponse = await first.http.post('/v1/machines', machine.token, body);
  const { data } = httpResponse.body as { data: { id: string } };
  const tokens: string[] = [];
  for (let n = 0; n < TOKENS; n++) tokens.push((await ada.createToken(['machines:invoke'])).token);
  for (let n = 0; n < CALLS; n++) {
    await first.http.post(`/external/v1/machines/${data.id}/invoke`, tokens[n % TOKENS], { command: 'true' });
  }
}
