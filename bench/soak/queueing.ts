import { median } from '../run-benchmark-row';
import { MAX_P99_MS } from './peak';
import type { SoakSecond } from './run-soak';

/** Consecutive seconds in which calls queued. */
export interface QueueingEpisode {
  /** Its first second. */
  at: number;
  seconds: number;
  /** Highest p99 of its seconds, in ms. */
  p99: number;
  /** What set it off, or null if nothing stood out. */
  cause: { name: string; ms: number } | null;
}

/** Delays of one second that can set off a queue, each in ms of that second. */
export const DELAYS: Record<string, (soakSecond: SoakSecond) => number> = {
  'service waited for a core': ({ system }) => system.service.longestWait,
  'Redis waited for a core': ({ system }) => system.redis.longestWait,
  'PostgreSQL waited for a core': ({ system }) => system.postgres.longestWait,
  'garbage collection': ({ service }) => service.gcMs,
  "event loop blocked by the service's own work": ({ service, system }) =>
    Math.max(0, service.eventLoopLagMaxMs - service.gcMs - system.service.longestWait),
  'PostgreSQL waited for a lock or a disk': (second) => findWorstDatabaseWait(second).ms,
  'Redis responded slowly': ({ system }) => system.redisMs,
  'callers sent late': ({ sentLateMs }) => sentLateMs,
};

/** Waits in which a connection waits for its client, so that PostgreSQL isn't the cause. */
const CLIENT_WAITS = /^(running|idle in transaction|Client:.*)$/;
const SECOND_MS = 1_000;
/** A shorter delay doesn't explain a queue. */
const MIN_CAUSE_MS = 50;

export function isQueueing({ all }: SoakSecond): boolean {
  return all !== null && all.p99 > MAX_P99_MS;
}

/**
 * Returns the episodes with their causes. The cause is the delay that exceeds its median of the other seconds by most,
 * from the scheduled start of the first late calls until their response. Later seconds only have the queue that the
 * first has left.
 */
export function findQueueingEpisodes(seconds: SoakSecond[]): QueueingEpisode[] {
  const calm = seconds.filter((second) => !isQueueing(second));
  const usual = new Map(Object.entries(DELAYS).map(([name, of]) => [name, calm.length > 0 ? median(calm.map(of)) : 0]));
  const episodes: QueueingEpisode[] = [];
  for (let i = 0; i < seconds.length; i++) {
    if (!isQueueing(seconds[i]!)) continue;
    const start = i;
    while (i + 1 < seconds.length && isQueueing(seconds[i + 1]!)) i++;
    const p99 = Math.max(...seconds.slice(start, i + 1).map(({ all }) => all!.p99));
    const lookBack = Math.ceil(seconds[start]!.all!.p99 / SECOND_MS);
    const cause = findCause(seconds.slice(Math.max(0, start - lookBack), start + 1), usual);
    episodes.push({
      at: seconds[start]!.at,
      seconds: i - start + 1,
      p99,
      cause: cause.ms >= MIN_CAUSE_MS ? cause : null,
    });
  }
  return episodes;
}

/** Returns the longest wait of the service's connections for PostgreSQL itself, as part of the second. */
export function findWorstDatabaseWait({ system }: SoakSecond): { name: string; ms: number } {
  return Object.entries(system.waits)
    .filter(([name]) => !CLIENT_WAITS.test(name))
    .map(([name, { share }]) => ({ name, ms: share * 1_000 }))
    .reduce((worst, other) => (other.ms > worst.ms ? other : worst), { name: 'none', ms: 0 });
}

function findCause(seconds: SoakSecond[], usual: Map<string, number>): { name: string; ms: number } {
  return Object.entries(DELAYS)
    .map(([name, of]) => ({ name, ms: Math.max(...seconds.map(of)) - usual.get(name)! }))
    .reduce((worst, other) => (other.ms > worst.ms ? other : worst));
}
