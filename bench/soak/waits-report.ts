import { median } from '../run-benchmark-row';
import { formatMarkdownTable } from './markdown-table';
import { MAX_P99_MS } from './peak';
import { DELAYS, findQueueingEpisodes, findWorstDatabaseWait, isQueueing } from './queueing';
import type { SoakSecond } from './run-soak';
import { sumValues } from './statistics';

const MAX_EPISODES = 10;

/** Formats a second as a line of the log. */
export function formatSecond(second: SoakSecond): string {
  const { at, answered, all, service, system } = second;
  const waits = Object.entries(system.waits)
    .toSorted(([, a], [, b]) => b.connections - a.connections)
    .map(([name, { connections }]) => `${name} ${connections.toFixed(1)}`);
  const parts = (['service', 'redis', 'postgres'] as const).map(
    (part) => `${part} ${system[part].ran.toFixed(0)}/${system[part].waited.toFixed(0)}`,
  );
  return [
    `${at} s: ${answered} answered, p99 ${all?.p99 ?? '–'} ms`,
    `ran/waited for a core, ms: ${parts.join(', ')}`,
    `event loop max ${service.eventLoopLagMaxMs.toFixed(0)} ms`,
    `garbage collection ${service.gcMs.toFixed(0)} ms`,
    `connections: ${waits.join(', ') || 'idle'}`,
    `Redis ${system.redisMs.toFixed(1)} ms`,
  ].join('; ');
}

/** Formats the delays of calm and of queueing seconds, and what set off the queues. */
export function formatWaitsReport(seconds: SoakSecond[]): string {
  return [formatDelayTable(seconds), formatEpisodes(seconds)].join('\n\n');
}

function formatDelayTable(seconds: SoakSecond[]): string {
  const queueing = seconds.filter(isQueueing);
  const calm = seconds.filter((second) => !isQueueing(second));
  const row = (name: string, of: (soakSecond: SoakSecond) => number) => [
    name,
    ...[calm, queueing].map((some) => (some.length > 0 ? median(some.map(of)).toFixed(1) : '–')),
    Math.max(...seconds.map(of)).toFixed(0),
  ];
  return formatMarkdownTable(
    ['Delay, ms per second', `p99 ≤ ${MAX_P99_MS} ms (${calm.length} s)`, `above (${queueing.length} s)`, 'Maximum'],
    [
      ...Object.entries(DELAYS).map(([name, of]) => row(name, of)),
      row('all threads of the service waited for a core', ({ system }) => system.service.waited),
      row('all processes of PostgreSQL waited for a core', ({ system }) => system.postgres.waited),
      row('connections held idle in transaction', ({ system }) => countHeldConnections(system.waits) * 1_000),
    ],
  );
}

function countHeldConnections(waits: SoakSecond['system']['waits']): number {
  return sumValues([waits['idle in transaction']?.connections ?? 0, waits['Client:ClientRead']?.connections ?? 0]);
}

function formatEpisodes(seconds: SoakSecond[]): string {
  const episodes = findQueueingEpisodes(seconds);
  if (episodes.length === 0) return `No second had a p99 above ${MAX_P99_MS} ms.`;
  const worst = episodes.toSorted((a, b) => b.p99 - a.p99).slice(0, MAX_EPISODES);
  return formatMarkdownTable(
    [
      'Queueing from',
      'Seconds',
      'Highest p99, ms',
      'Set off by',
      'Beyond the usual, ms',
      'Most frequent database wait',
    ],
    worst.map(({ at, seconds: length, p99, cause }) => [
      `${at} s`,
      String(length),
      p99.toFixed(0),
      cause?.name ?? 'not found',
      cause?.ms.toFixed(0) ?? '',
      findWorstDatabaseWait(seconds.find((second) => second.at === at)!).name,
    ]),
  );
}
