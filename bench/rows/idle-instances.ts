import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { BenchCleanup, type BenchmarkRow, type DetailedValue, type Measurement } from '../benchmark-row';
import { startDedicatedFixture, type DedicatedFixture } from '../support/dedicated-fixture';
import { computeCpuUs, readThreadTimes } from '../support/process-cpu';

const MANY = 4;
/** PostgreSQL counts the transactions of an idle connection up to ten seconds late. */
const PERIOD_MS = 30_000;
const SETTLE_MS = 15_000;

export const idleInstancesRow: BenchmarkRow = {
  name: 'idle-instances',
  figure: `transactions per second of ${MANY} idle instances`,
  against: 'those of one',
  unit: '/s',
  ratioGoal: null,
  maxRounds: 3,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const measured = await startInstances(benchCleanup, MANY);
      const peer = await startInstances(benchCleanup, 1);
      await sleep(SETTLE_MS);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

async function startInstances(benchCleanup: BenchCleanup, instances: number): Promise<Measurement> {
  const dedicatedFixture = await startDedicatedFixture(benchCleanup, instances);
  const redis = new Redis(dedicatedFixture.backend.redis.url);
  benchCleanup.add({ stop: () => Promise.resolve(redis.disconnect()) });
  return () => measureIdleSecond(dedicatedFixture, redis);
}

/** Returns the transactions of a second, with the commands of Redis and the CPU time of each part. */
async function measureIdleSecond(
  { benchFixture, measuredParts }: DedicatedFixture,
  redis: Redis,
): Promise<DetailedValue> {
  const readCounts = async () => {
    const [row] = await benchFixture.query<{ transactions: number }>(
      `SELECT (xact_commit + xact_rollback)::float8 AS transactions FROM pg_stat_database
        WHERE datname = current_database()`,
    );
    const [, commands] = /^total_commands_processed:(\d+)/m.exec(await redis.info('stats'))!;
    const parts = Object.entries(measuredParts).map(([part, listPids]) => [part, readThreadTimes(listPids())] as const);
    return {
      transactions: row!.transactions,
      commands: Number(commands),
      parts: new Map(parts),
      at: performance.now(),
    };
  };
  const before = await readCounts();
  await sleep(PERIOD_MS);
  const after = await readCounts();
  const seconds = (after.at - before.at) / 1_000;
  const details: Record<string, number> = { 'commands of Redis, /s': (after.commands - before.commands) / seconds };
  for (const [part, times] of after.parts)
    details[`${part}, ms of CPU per second`] = computeCpuUs(before.parts.get(part)!, times) / 1_000 / seconds;
  return { value: (after.transactions - before.transactions) / seconds, details };
}
