import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { LongSession } from '../support/long-session';
import { median } from '../run-benchmark-row';
import { warmUpMeasurements } from '../support/read-measurement';

const MESSAGES = 50_000;
const VISITS = 5;

export const consoleSessionRow = createRow({
  name: 'console-session',
  figure: `page of a session of ${MESSAGES.toLocaleString('en')} messages, until the last one is shown, p50`,
  limitMs: 300,
  member: 'readableMs',
});

export const consoleSessionScriptRow = createRow({
  name: 'console-session-script',
  figure: 'the same, the time in which scripts run',
  limitMs: 100,
  member: 'scriptMs',
});

interface SessionPageFigure {
  name: string;
  figure: string;
  limitMs: number;
  member: 'readableMs' | 'scriptMs';
}

function createRow({ name, figure, limitMs, member }: SessionPageFigure): BenchmarkRow {
  return {
    name,
    figure,
    against: `${limitMs} ms`,
    unit: 'ms',
    ratioGoal: { atMost: 1 },
    openComparison: () => {
      const benchCleanup = new BenchCleanup();
      return benchCleanup.runOrClose(async () => {
        const benchFixture = benchCleanup.add(await BenchFixture.start());
        const longSession = benchCleanup.add(await LongSession.create(benchFixture, MESSAGES));
        const measured = async () => {
          const times: number[] = [];
          for (let n = 0; n < VISITS; n++) times.push((await longSession.openPage())[member]);
          return median(times);
        };
        await warmUpMeasurements(2, measured);
        return { measured, peer: () => Promise.resolve(limitMs), close: benchCleanup.close };
      });
    },
  };
}
