import { setTimeout as sleep } from 'node:timers/promises';
import { ReportedTurn } from '../../test/support/turns/turn-reports';
import { expectStatus } from '../../test/support/device/foreign-device';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { HttpLoadClient } from '../support/http-load-client';

const WAITS = 100;
const WAIT_MS = 28_000;
/** Twice the interval at which the service looks again at the turns. */
const WARM_UP_WAIT_MS = 4_000;
const LIMIT_PERCENT = 1;
const PERIOD_MS = 16_000;
/** After this time all waits have begun. */
const SETTLE_MS = 3_000;

export const turnWaitsRow: BenchmarkRow = {
  name: 'turn-waits',
  figure: `CPU of the service for ${WAITS} held waits, beyond idle`,
  against: `${LIMIT_PERCENT} % of a core`,
  unit: '%',
  ratioGoal: { atMost: 1 },
  maxRounds: 3,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const client = benchCleanup.add(new HttpLoadClient());
      const turns = await reportRunningTurns(benchFixture);
      const measured = async () => {
        // Idle before and after, because an idle process needs less and less CPU for minutes after its start.
        const idleBefore = await measureCpuPercent(benchFixture);
        const [held] = await Promise.all([
          sleep(SETTLE_MS).then(() => measureCpuPercent(benchFixture)),
          ...turns.map((turn) => holdWait(benchFixture, client, turn, WAIT_MS)),
        ]);
        await sleep(SETTLE_MS);
        return held - (idleBefore + (await measureCpuPercent(benchFixture))) / 2;
      };
      await Promise.all(turns.map((turn) => holdWait(benchFixture, client, turn, WARM_UP_WAIT_MS)));
      return { measured, peer: () => Promise.resolve(LIMIT_PERCENT), close: benchCleanup.close };
    });
  },
};

async function reportRunningTurns({ ada }: BenchFixture): Promise<ReportedTurn[]> {
  const session = (await ada.createSession(ada)) as { id: string };
  const turns = Array.from({ length: WAITS }, () => new ReportedTurn(ada, session.id));
  for (const turn of turns) expectStatus(await turn.report('running'), 201);
  return turns;
}

/** Waits for a turn that doesn't change, as long as the time limit says. */
async function holdWait(
  { firstInstance, token }: BenchFixture,
  client: HttpLoadClient,
  turn: ReportedTurn,
  waitMs: number,
): Promise<void> {
  const startedAt = performance.now();
  const url = `${firstInstance.url}${turn.path}?waitMs=${waitMs}`;
  const { status } = await client.sendRequest({ method: 'GET', url, token });
  if (status !== 200) throw new Error(`a wait responded with ${status}`);
  if (performance.now() - startedAt < waitMs) throw new Error('a wait ended early');
}

async function measureCpuPercent({ firstInstance: { benchProcess } }: BenchFixture): Promise<number> {
  const startedAt = performance.now();
  const before = await benchProcess.readCpuUs();
  await sleep(PERIOD_MS);
  const usedMs = ((await benchProcess.readCpuUs()) - before) / 1_000;
  return (usedMs / (performance.now() - startedAt)) * 100;
}
