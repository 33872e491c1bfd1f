import { setTimeout as sleep } from 'node:timers/promises';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { BenchProcess } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';
import { StreamClients } from '../support/stream-clients';

const STREAMS = 1_000;
const SETTLE_MS = 1_000;

export const eventStreamMemoryRow: BenchmarkRow = {
  name: 'event-stream-memory',
  figure: `memory per idle event stream, ${STREAMS} of them`,
  against: "a bare Node server's",
  unit: 'B',
  ratioGoal: { atMost: 2 },
  maxRounds: 3,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const limits = { EVENT_STREAMS_PER_TOKEN: String(STREAMS), EVENT_STREAMS_PER_ACCOUNT: String(STREAMS) };
      const benchFixture = benchCleanup.add(await BenchFixture.start(1, limits));
      const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-event-stream.ts'));
      const bareUrl = `http://127.0.0.1:${await bare.waitForMember<number>('port')}`;
      const streamClients = benchCleanup.add(new StreamClients());

      const perStream = (benchProcess: BenchProcess, url: string) => async () => {
        const before = await benchProcess.readMemoryBytes();
        for (let n = 0; n < STREAMS; n++) await streamClients.openStream(url, benchFixture.token);
        await sleep(SETTLE_MS);
        const after = await benchProcess.readMemoryBytes();
        streamClients.closeAll();
        await sleep(SETTLE_MS);
        return (after - before) / STREAMS;
      };
      const { benchProcess, url } = benchFixture.firstInstance;
      const measured = perStream(benchProcess, `${url}/external/v1/events`);
      const peer = perStream(bare, bareUrl);
      await warmUpMeasurements(2, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
