import { ERRORS } from '../../src/common/errors';
import { median } from '../run-row';
import type { Second, SoakRun } from './run';
import { slopeOf } from './statistics';

/** What must hold, and what was seen. */
export interface Judgement {
  what: string;
  seen: string;
  bound: string;
  met: boolean;
}

const MIB = 2 ** 20;
/** Of the resident set, which goes up and down with the collector's mind. */
const RSS_BOUND = 2;
/** Of what full collections leave. */
const HELD_BOUND = 1;
/** Fewer full collections than these in the half say nothing. */
const MIN_COLLECTIONS = 5;
const LATENCY_BOUND = 1.5;
/** The compiler and the caches have seen everything by then; of a short run a tenth. */
const WARM_UP_SECONDS = 30;

export function judge(run: SoakRun, devices: number): Judgement[] {
  const { seconds } = run;
  const half = seconds.slice(Math.floor(seconds.length / 2));
  return [
    errors(run),
    memory('resident set, second half', half, ({ service }) => service.rssBytes, RSS_BOUND),
    held(half),
    latency(seconds),
    connected(seconds, devices),
    webhooks(run),
  ];
}

/** By code, over the whole run. */
export function errorsOf({ seconds, lastErrors }: SoakRun): Record<string, number> {
  const all: Record<string, number> = {};
  for (const errors of [...seconds.map((second) => second.errors), lastErrors]) {
    for (const [code, count] of Object.entries(errors)) all[code] = (all[code] ?? 0) + count;
  }
  return all;
}

/** A code that callers are told of in the guide; that of a fault of the service is none they could do anything with. */
function isDocumented(code: string): boolean {
  return code in ERRORS && code !== 'internal_error';
}

function errors(run: SoakRun): Judgement {
  const all = Object.entries(errorsOf(run));
  return {
    what: 'errors',
    seen: all.map(([code, count]) => `${code} ${count}`).join(', ') || 'none',
    bound: 'documented codes only',
    met: all.every(([code]) => isDocumented(code)),
  };
}

function memory(what: string, half: Second[], bytesOf: (second: Second) => number, bound: number): Judgement {
  const perMinute = (slopeOf(half.map((second) => [second.at, bytesOf(second)])) * 60) / MIB;
  return {
    what,
    seen: `${perMinute.toFixed(2)} MiB a minute`,
    bound: `≤ ${bound} MiB a minute`,
    met: perMinute <= bound,
  };
}

/** The seconds in which a full collection was. */
export function collectionsIn(seconds: Second[]): Second[] {
  return seconds.filter(({ service }, i) => i > 0 && service.collections > seconds[i - 1]!.service.collections);
}

function held(half: Second[]): Judgement {
  const points = collectionsIn(half);
  const what = 'left by full collections, second half';
  if (points.length >= MIN_COLLECTIONS) return memory(what, points, ({ service }) => service.heldBytes, HELD_BOUND);
  return { what, seen: `${points.length} collections`, bound: `≥ ${MIN_COLLECTIONS} to judge by`, met: true };
}

function latency(seconds: Second[]): Judgement {
  const warm = seconds.slice(Math.min(WARM_UP_SECONDS, Math.floor(seconds.length / 10)));
  const third = Math.floor(warm.length / 3);
  const p99 = (part: Second[]) => median(part.flatMap(({ all }) => (all ? [all.p99] : [])));
  const [first, last] = [p99(warm.slice(0, third)), p99(warm.slice(-third))];
  return {
    what: 'p99, last third to first third',
    seen: `${last.toFixed(1)} ms to ${first.toFixed(1)} ms`,
    bound: `≤ ${LATENCY_BOUND} times`,
    met: last <= first * LATENCY_BOUND,
  };
}

function connected(seconds: Second[], devices: number): Judgement {
  const fewest = Math.min(...seconds.map(({ service }) => service.connectedDevices));
  return {
    what: 'devices connected throughout',
    seen: `${fewest} at least`,
    bound: `${devices}`,
    met: fewest >= devices,
  };
}

function webhooks({ webhooks: { expected, delivered, waiting, failed } }: SoakRun): Judgement {
  return {
    what: 'events delivered',
    seen: `${delivered} of ${expected}, ${waiting} waiting, ${failed} failed`,
    bound: 'all of them',
    met: delivered === expected && waiting === 0 && failed === 0,
  };
}
