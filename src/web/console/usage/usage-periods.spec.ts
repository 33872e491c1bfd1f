import type { UsageDto } from '../../../modules/usage';
import { toUsagePeriods, createTimeRange, sumPeriods } from './usage-periods';

const NOW = Date.UTC(2026, 10, 21, 17, 59, 59, 999);
const record = (start: number, bucket: string, requests: number, errors = 0): UsageDto => ({
  object: 'usage',
  start,
  end: 0,
  bucket,
  tokenId: null,
  operation: null,
  requests,
  errors,
  rateLimited: 0,
});

describe('the periods of a chart', () => {
  it('end with the hour or the day of UTC that it is', () => {
    expect(createTimeRange('hour', 48, NOW)).toEqual({
      granularity: 'hour',
      from: Date.UTC(2026, 10, 19, 18),
      to: Date.UTC(2026, 10, 21, 18),
    });
    expect(createTimeRange('day', 30, NOW)).toMatchObject({
      from: Date.UTC(2026, 9, 23),
      to: Date.UTC(2026, 10, 22),
    });
    expect(createTimeRange('hour', 1, Date.UTC(2026, 10, 21, 18)).from).toBe(Date.UTC(2026, 10, 21, 18));
  });

  it('are all there, in order, whether anything was called in them or not', () => {
    const periods = toUsagePeriods(createTimeRange('hour', 48, NOW), []);
    expect(periods).toHaveLength(48);
    expect(periods.map(({ start }) => start)).toEqual(periods.map(({ start }) => start).sort());
    expect(sumPeriods(periods, ({ requests }) => requests)).toBe(0);
  });

  it('hold the calls of each bucket where they belong', () => {
    const hour = Date.UTC(2026, 10, 21, 16);
    const periods = toUsagePeriods(createTimeRange('hour', 48, NOW), [
      record(hour, 'relay', 2, 1),
      record(hour, 'metadata', 5),
      record(hour + 3_600_000, 'metadata', 7),
      record(Date.UTC(2026, 10, 1), 'metadata', 1_000),
    ]);
    expect(periods[46]).toEqual({
      start: hour,
      calls: { metadata: 5, relay: 2 },
      requests: 7,
      errors: 1,
      rateLimited: 0,
    });
    expect(periods[47]!.calls).toEqual({ metadata: 7, relay: 0 });
    expect(sumPeriods(periods, ({ requests }) => requests)).toBe(14);
  });
});
