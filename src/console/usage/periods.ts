import { DAY, HOUR } from '../../common/clock';
import type { UsageRecord } from '../../usage';
import { ACCOUNT_BUCKETS, type AccountBucket } from './account-buckets';

/** Calls in one hour or day of UTC. */
export interface Period {
  /** Unix ms. */
  start: number;
  calls: Record<AccountBucket, number>;
  requests: number;
  errors: number;
  rateLimited: number;
}

/** Some periods in a row, the last of which holds this moment. */
export interface Span {
  granularity: 'hour' | 'day';
  /** Unix ms, inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
}

const LENGTH = { hour: HOUR, day: DAY };

/** The `count` hours or days of UTC that end with the one of `now`. */
export function spanOf(granularity: Span['granularity'], count: number, now: number): Span {
  const length = LENGTH[granularity];
  const to = (Math.floor(now / length) + 1) * length;
  return { granularity, from: to - count * length, to };
}

/**
 * Every period of the span, those without a call as well, the oldest first.
 * @param records of the span, grouped by bucket, in any order
 */
export function periodsOf({ granularity, from, to }: Span, records: readonly UsageRecord[]): Period[] {
  const length = LENGTH[granularity];
  const periods: Period[] = [];
  for (let start = from; start < to; start += length) {
    periods.push({ start, calls: { metadata: 0, relay: 0 }, requests: 0, errors: 0, rateLimited: 0 });
  }
  for (const record of records) {
    const period = periods[(record.start - from) / length];
    if (period) add(period, record);
  }
  return periods;
}

function add(period: Period, { bucket, requests, errors, rateLimited }: UsageRecord): void {
  const name = ACCOUNT_BUCKETS.find((one) => one === bucket);
  if (name) period.calls[name] += requests;
  period.requests += requests;
  period.errors += errors;
  period.rateLimited += rateLimited;
}

/** All of them together. */
export function sumOf(periods: readonly Period[], what: (period: Period) => number): number {
  return periods.reduce((sum, period) => sum + what(period), 0);
}
