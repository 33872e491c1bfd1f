import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures } from './figures';
import type { Counts, Lab, Use } from './lab';

/** Enough to see each kind of statement and command, few enough for the log that they are read off. */
const COUNTED = 200;

/** What is done again and again to find out what it costs. */
export interface Deed {
  times: number;
  run: (times: number) => Promise<unknown>;
}

/** Of one deed, or in one second of idling: counts, bytes, and µs of CPU. */
export interface Cost {
  commands: number;
  statements: number;
  transactions: number;
  serviceUs: number[];
  redisCpuUs: number;
  redisInBytes: number;
  redisOutBytes: number;
  postgresCpuUs: number;
  walBytes: number;
}

/** What runs without anybody's asking, per second. */
export async function idleCost(lab: Lab, seconds: number): Promise<Cost> {
  const counts = await lab.countsDuring(() => sleep(seconds * 1_000));
  const use = await lab.useDuring(() => sleep(seconds * 1_000));
  return {
    ...mapCounts(counts, (value) => value / counts.seconds),
    ...mapUse(use, (value) => value / use.seconds),
  };
}

/** Of one of them, with what idles beside it taken off. The first rounds are counted and warm the code up. */
export async function costOf(lab: Lab, idle: Cost, { times, run }: Deed): Promise<Cost> {
  const counts = await lab.countsDuring(() => run(COUNTED));
  await run(times / 2);
  const use = await lab.useDuring(() => run(times));
  return costFrom(idle, { counts, counted: COUNTED, use, used: times });
}

/** What was counted in so many deeds, and used in so many others. */
interface Measured {
  counts: Counts;
  counted: number;
  use: Use;
  used: number;
}

export function costFrom(idle: Cost, { counts, counted, use, used }: Measured): Cost {
  return {
    ...mapCounts(counts, (value, rate) => Math.max(0, value - rate * counts.seconds) / counted, idle),
    ...mapUse(use, (value, rate) => (value - rate * use.seconds) / used, idle),
  };
}

/** A cost that is the difference of two, as of a message with and without a subscriber. */
export function lessThan(more: Cost, less: Cost): Cost {
  return {
    ...mapCounts(more, (value, other) => value - other, less),
    ...mapUse(more, (value, other) => value - other, less),
  };
}

export function plus(one: Cost, other: Cost): Cost {
  return {
    ...mapCounts(one, (value, more) => value + more, other),
    ...mapUse(one, (value, more) => value + more, other),
  };
}

/**
 * All figures of a cost; the service's is of the instances together. What comes out below nothing is noise around it.
 * @param name as the keys have it: `RelayCall` in `redis.cpuUsPerRelayCall`
 * @param what for people: a cost is "per …"
 */
export function addCost(figures: Figures, name: string, what: string, cost: Cost, usesRedis = true): void {
  const idle = 'less what idles';
  const add = (key: string, value: number, unit: string, how: string) =>
    figures.add(`${key}Per${name}`, Math.max(0, value), unit, `${how}, ${idle}; per ${what}`);
  const sum = cost.serviceUs.reduce((total, us) => total + us, 0);
  add('service.cpuUs', sum, 'µs', 'CPU of the two instances together');
  add('postgres.statements', cost.statements, 'statements', 'log_statement = all, BEGIN and COMMIT counted');
  add('postgres.transactions', cost.transactions, 'transactions', 'log_statement = all, reads counted');
  add('postgres.cpuUs', cost.postgresCpuUs, 'µs', 'CPU of server and backends, fsync off');
  add(
    'postgres.walBytes',
    cost.walBytes,
    'B',
    'pg_current_wal_insert_lsn, no checkpoint in between, so next to no full pages',
  );
  if (!usesRedis) return;
  add('redis.commands', cost.commands, 'commands', 'MONITOR, what scripts call not counted');
  add('redis.cpuUs', cost.redisCpuUs, 'µs', 'used_cpu_user + used_cpu_sys');
  add('redis.inBytes', cost.redisInBytes, 'B', 'total_net_input_bytes');
  add('redis.outBytes', cost.redisOutBytes, 'B', 'total_net_output_bytes');
}

type Combine = (value: number, other: number) => number;
type CountPart = Pick<Counts, 'commands' | 'statements' | 'transactions'>;
type UsePart = Omit<Use, 'seconds'>;

const NO_USE: UsePart = {
  serviceUs: [],
  redisCpuUs: 0,
  redisInBytes: 0,
  redisOutBytes: 0,
  postgresCpuUs: 0,
  walBytes: 0,
};

function mapCounts(value: CountPart, combine: Combine, other?: CountPart): CountPart {
  const { commands, statements, transactions } = other ?? { commands: 0, statements: 0, transactions: 0 };
  return {
    commands: combine(value.commands, commands),
    statements: combine(value.statements, statements),
    transactions: combine(value.transactions, transactions),
  };
}

function mapUse(value: UsePart, combine: Combine, other: UsePart = NO_USE): UsePart {
  return {
    serviceUs: value.serviceUs.map((us, i) => combine(us, other.serviceUs[i] ?? 0)),
    redisCpuUs: combine(value.redisCpuUs, other.redisCpuUs),
    redisInBytes: combine(value.redisInBytes, other.redisInBytes),
    redisOutBytes: combine(value.redisOutBytes, other.redisOutBytes),
    postgresCpuUs: combine(value.postgresCpuUs, other.postgresCpuUs),
    walBytes: combine(value.walBytes, other.walBytes),
  };
}
