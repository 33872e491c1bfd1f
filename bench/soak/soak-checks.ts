import { ERROR_CATALOG } from '../../src/common/errors';
import { median } from '../run-benchmark-row';
import type { SoakSecond, SoakRun } from './run-soak';
import { computeSlope } from './statistics';

/** A requirement and the observed value. */
export interface SoakCheck {
  what: string;
  seen: string;
  bound: string;
  met: boolean;
}

const MIB = 2 ** 20;
/** Tolerance for the resident set, which varies with garbage collection. */
const MAX_RSS_GROWTH_MIB = 2;
/** Tolerance for the memory after full collections. */
const MAX_RETAINED_GROWTH_MIB = 1;
/** Minimum of full collections for a verdict. */
const MIN_COLLECTIONS = 5;
const MAX_LATENCY_RATIO = 1.5;
/** Time until the compiler and the caches are warm; a tenth of a short run. */
const WARM_UP_SECONDS = 30;

export function checkSoakRun(run: SoakRun, devices: number): SoakCheck[] {
  const { seconds } = run;
  const half = seconds.slice(Math.floor(seconds.length / 2));
  return [
    checkErrors(run),
    checkMemory('resident set, second half', half, ({ service }) => service.rssBytes, MAX_RSS_GROWTH_MIB),
    checkRetainedMemory(half),
    checkLatency(seconds),
    checkConnectedDevices(seconds, devices),
    checkWebhooks(run),
    checkStreams(run),
    checkTurns(run),
  ];
}

/** Returns the number of errors of the whole run by code. */
export function sumSoakErrors({ seconds, lastErrors }: SoakRun): Record<string, number> {
  const all: Record<string, number> = {};
  for (const errors of [...seconds.map((second) => second.errors), lastErrors]) {
    for (const [code, count] of Object.entries(errors)) all[code] = (all[code] ?? 0) + count;
  }
  return all;
}

/** Error codes that the guide documents for callers, without internal errors of the service. */
function isDocumented(code: string): boolean {
  return code in ERROR_CATALOG && code !== 'internal_error';
}

function checkErrors(run: SoakRun): SoakCheck {
  const all = Object.entries(sumSoakErrors(run));
  return {
    what: 'errors',
    seen: all.map(([code, count]) => `${code} ${count}`).join(', ') || 'none',
    bound: 'documented codes only',
    met: all.every(([code]) => isDocumented(code)),
  };
}

function checkMemory(
  what: string,
  half: SoakSecond[],
  bytesOf: (soakSecond: SoakSecond) => number,
  bound: number,
): SoakCheck {
  const perMinute = (computeSlope(half.map((second) => [second.at, bytesOf(second)])) * 60) / MIB;
  return {
    what,
    seen: `${perMinute.toFixed(2)} MiB per minute`,
    bound: `≤ ${bound} MiB per minute`,
    met: perMinute <= bound,
  };
}

/** Returns the seconds with a full collection. */
export function findCollections(seconds: SoakSecond[]): SoakSecond[] {
  return seconds.filter(({ service }, i) => i > 0 && service.collections > seconds[i - 1]!.service.collections);
}

function checkRetainedMemory(half: SoakSecond[]): SoakCheck {
  const points = findCollections(half);
  const what = 'memory after full collections, second half';
  if (points.length >= MIN_COLLECTIONS)
    return checkMemory(what, points, ({ service }) => service.heldBytes, MAX_RETAINED_GROWTH_MIB);
  return { what, seen: `${points.length} collections`, bound: `at least ${MIN_COLLECTIONS} needed`, met: true };
}

function checkLatency(seconds: SoakSecond[]): SoakCheck {
  const warm = seconds.slice(Math.min(WARM_UP_SECONDS, Math.floor(seconds.length / 10)));
  const third = Math.floor(warm.length / 3);
  const p99 = (part: SoakSecond[]) => median(part.flatMap(({ all }) => (all ? [all.p99] : [])));
  const [first, last] = [p99(warm.slice(0, third)), p99(warm.slice(-third))];
  return {
    what: 'p99, last third and first third',
    seen: `${last.toFixed(1)} ms and ${first.toFixed(1)} ms`,
    bound: `≤ ${MAX_LATENCY_RATIO} times`,
    met: last <= first * MAX_LATENCY_RATIO,
  };
}

function checkConnectedDevices(seconds: SoakSecond[], devices: number): SoakCheck {
  const fewest = Math.min(...seconds.map(({ service }) => service.connectedDevices));
  return {
    what: 'devices connected throughout',
    seen: `at least ${fewest}`,
    bound: `${devices}`,
    met: fewest >= devices,
  };
}

function checkWebhooks({ webhooks: { expected, delivered, waiting, failed } }: SoakRun): SoakCheck {
  return {
    what: 'events delivered',
    seen: `${delivered} of ${expected}, ${waiting} pending, ${failed} failed`,
    bound: 'all',
    met: delivered === expected && waiting === 0 && failed === 0,
  };
}

function checkStreams({ webhooks: { expected }, streamedEvents }: SoakRun): SoakCheck {
  const seen = `${streamedEvents} of ${expected}`;
  return { what: 'events at streams', seen, bound: 'all', met: streamedEvents === expected };
}

function checkTurns({ turns: { completed, failures } }: SoakRun): SoakCheck {
  return {
    what: 'turns of agents',
    seen: [`${completed} completed`, ...new Set(failures)].join(', '),
    bound: 'all completed',
    met: completed > 0 && failures.length === 0,
  };
}
