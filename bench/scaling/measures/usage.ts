import type { FleetAccount } from '../../support/fleet';
import { costOf, type Cost } from '../deed';
import type { Lab } from '../lab';

const IN_FLIGHT = 16;

/**
 * Calls by one account after the other, so that each makes a count of its own. The accounts have called before, so
 * nothing else of them is written; the same call by few accounts is what it is held against.
 */
export async function measureUsage(lab: Lab, fleet: FleetAccount[], idle: Cost): Promise<void> {
  const { figures, origin, sender } = lab;
  const run = (accounts: FleetAccount[]) => {
    let turn = 0;
    return (times: number) =>
      sender.sendAll(
        () => {
          const { token } = accounts[turn++ % accounts.length]!;
          return { method: 'GET', url: `${origin.url}/external/v1/machines`, token };
        },
        times,
        IN_FLIGHT,
      );
  };
  const times = fleet.length;
  const many = await costOf(lab, idle, { times, run: run(fleet) });
  const few = await costOf(lab, idle, { times, run: run(fleet.slice(0, 1)) });
  figures.add(
    'postgres.walBytesPerUsageFlush',
    many.walBytes - few.walBytes,
    'B',
    'pg_current_wal_insert_lsn, calls of many accounts less the same calls of one: per count that a flush writes',
  );
  figures.add(
    'postgres.cpuUsPerUsageFlush',
    many.postgresCpuUs - few.postgresCpuUs,
    'µs',
    'CPU of server and backends, calls of many accounts less the same calls of one: per count that a flush writes',
  );
}

/** What a live counter takes in Redis. */
export async function measureBuckets(lab: Lab, fleet: FleetAccount[]): Promise<void> {
  const { figures, origin, sender, redis } = lab;
  const before = await redis.memory();
  let turn = 0;
  await sender.sendAll(
    () => ({ method: 'GET', url: `${origin.url}/external/v1/machines`, token: fleet[turn++]!.token }),
    fleet.length,
    IN_FLIGHT,
  );
  figures.add(
    'redis.bytesPerRateBucket',
    ((await redis.memory()) - before) / fleet.length,
    'B',
    `used_memory before and after ${fleet.length.toLocaleString('en')} accounts make their first call`,
  );
}
