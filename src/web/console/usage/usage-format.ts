import type { UsageTimeRange } from './usage-periods';

const createUtcFormat = (parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' });

const PERIOD_NAME_FORMATS = {
  hour: createUtcFormat({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  day: createUtcFormat({ weekday: 'short', day: 'numeric', month: 'short' }),
};
const AXIS_MARK_FORMATS = {
  hour: PERIOD_NAME_FORMATS.hour,
  day: createUtcFormat({ day: 'numeric', month: 'short' }),
};
const COUNT_FORMAT = new Intl.NumberFormat('en-GB');

/** Formats a period as `21 Nov, 14:00` or `Sat, 21 Nov`. @param start Unix ms */
export function formatPeriodName(granularity: UsageTimeRange['granularity'], start: number): string {
  return PERIOD_NAME_FORMATS[granularity].format(start);
}

/** Formats a period for the axis, where space is limited. */
export function formatAxisMark(granularity: UsageTimeRange['granularity'], start: number): string {
  return AXIS_MARK_FORMATS[granularity].format(start);
}

/** Formats a number as `12,345`. */
export function formatNumber(count: number): string {
  return COUNT_FORMAT.format(count);
}

export function formatCallCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'call' : 'calls'}`;
}
