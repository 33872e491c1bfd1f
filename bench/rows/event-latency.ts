import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { median } from '../run-benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { BenchProcess } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';

const EVENTS = 200;

export const eventLatencyRow: BenchmarkRow = {
  name: 'event-latency',
  figure: 'commit to event at a client of another instance, p50',
  against: 'a bare Redis publish, one indexed SELECT and one write',
  unit: 'ms',
  ratioGoal: { atMost: 3 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const env = {
        DATABASE_URL: benchFixture.databaseUrl,
        REDIS_URL: benchFixture.redisUrl,
        ACCOUNT_ID: benchFixture.ada.accountId,
      };
      const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-event-stream.ts', env));
      const bareUrl = `http://127.0.0.1:${await bare.waitForMember<number>('port')}`;
      const committer = benchCleanup.add(BenchProcess.start('bench/support/event-committer-process.ts', env));
      await committer.waitForMember('connected');
      const measure = (url: string, channel: string) => async () => {
        const request = { url, token: benchFixture.token, channel, count: EVENTS };
        return median(await committer.sendRequest<number[]>({ measure: request }, 'latencies'));
      };
      const measured = measure(`${benchFixture.firstInstance.url}/external/v1/events`, 'changes');
      const peer = measure(bareUrl, 'bare');
      await warmUpMeasurements(6, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
