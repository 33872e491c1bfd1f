import { setTimeout as sleep } from 'node:timers/promises';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { median } from '../run-benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { EchoMachine } from '../support/echo-machine';
import { warmUpMeasurements } from '../support/read-measurement';

const MESSAGES = 50;
/** A device may make 1,200 calls a minute and needs up to two for a message with history. */
const PAUSE_MS = 60;
const WARM_UPS = 6;

export const echoHistoryRow: BenchmarkRow = {
  name: 'echo-history',
  figure: 'echo through a machine that stores the message and its reply, p50',
  against: 'the same in a session of which the machine stores nothing',
  unit: 'ms',
  ratioGoal: { atMost: 1.8 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const echoMachine = benchCleanup.add(await EchoMachine.start(benchFixture));
      const timeEchoes = (sessionId: string, isStored: boolean) => async () => {
        const times: number[] = [];
        for (let n = 0; n < MESSAGES; n++) {
          const startedAt = performance.now();
          const messageId = await echoMachine.echo(sessionId);
          times.push(performance.now() - startedAt);
          if ((messageId !== null) !== isStored) throw new Error(`the id of a message is ${messageId}`);
          await sleep(PAUSE_MS);
        }
        return median(times);
      };
      const measured = timeEchoes(echoMachine.storedSessionId, true);
      const peer = timeEchoes(echoMachine.foreignSessionId, false);
      await warmUpMeasurements(WARM_UPS, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
