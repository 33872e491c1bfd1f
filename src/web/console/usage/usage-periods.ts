import { DAY, HOUR } from '../../../common/clock';
import type { UsageDto } from '../../../modules/usage';
import { ACCOUNT_BUCKET_NAMES, type AccountBucketName } from '../../../access/rate-limiting';

/** Calls in one UTC hour or day. */
export interface UsagePeriod {
  /** Unix ms. */
  start: number;
  calls: Record<AccountBucketName, number>;
  requests: number;
  errors: number;
  rateLimited: number;
}

/** Consecutive periods, the last of which contains the current time. */
export interface UsageTimeRange {
  granularity: 'hour' | 'day';
  /** Unix ms, inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
}

const PERIOD_MS = { hour: HOUR, day: DAY };

/** Returns the last `count` UTC hours or days, including the current one. */
export function createTimeRange(
  granularity: UsageTimeRange['granularity'],
  count: number,
  now: number,
): UsageTimeRange {
  const length = PERIOD_MS[granularity];
  const to = (Math.floor(now / length) + 1) * length;
  return { granularity, from: to - count * length, to };
}

/**
 * Returns every period of the range, including those without calls, oldest first.
 * @param records of the range, grouped by bucket, in any order
 */
export function toUsagePeriods({ granularity, from, to }: UsageTimeRange, records: readonly UsageDto[]): UsagePeriod[] {
  const length = PERIOD_MS[granularity];
  const periods: UsagePeriod[] = [];
  for (let start = from; start < to; start += length) {
    periods.push({ start, calls: createCounts(), requests: 0, errors: 0, rateLimited: 0 });
  }
  for (const record of records) {
    const period = periods[(record.start - from) / length];
    if (period) addToPeriod(period, record);
  }
  return periods;
}

function createCounts(): UsagePeriod['calls'] {
  return Object.fromEntries(ACCOUNT_BUCKET_NAMES.map((name) => [name, 0])) as UsagePeriod['calls'];
}

function addToPeriod(usagePeriod: UsagePeriod, { bucket, requests, errors, rateLimited }: UsageDto): void {
  const name = ACCOUNT_BUCKET_NAMES.find((one) => one === bucket);
  if (name) usagePeriod.calls[name] += requests;
  usagePeriod.requests += requests;
  usagePeriod.errors += errors;
  usagePeriod.rateLimited += rateLimited;
}

/** Returns the sum of a count over all periods. */
export function sumPeriods(periods: readonly UsagePeriod[], getCount: (usagePeriod: UsagePeriod) => number): number {
  return periods.reduce((sum, period) => sum + getCount(period), 0);
}
