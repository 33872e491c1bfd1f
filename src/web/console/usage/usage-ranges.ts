import { IsIn, IsOptional } from 'class-validator';
import { TIME_RANGES, type TimeRangeName } from '../forms/time-presets';
import type { UsageTimeRange } from './usage-periods';

export type UsageRangeName = TimeRangeName | 'month';

/** Ranges whose callers and operations the page can show. */
export const USAGE_RANGES: readonly { name: UsageRangeName; text: string }[] = [
  ...TIME_RANGES,
  { name: 'month', text: 'Last 30 days' },
];

/** Query of the page of usage. */
export class UsageQueryDto {
  @IsOptional()
  @IsIn(USAGE_RANGES.map(({ name }) => name))
  range?: UsageRangeName;
}

interface SharedPeriods {
  granularity: UsageTimeRange['granularity'];
  /** Newest periods of the range, the current one included. */
  count: number;
  words: string;
}

/** Calls are counted by the hour, so an hour is in two periods. */
export const SHARED_PERIODS: Record<UsageRangeName, SharedPeriods> = {
  hour: { granularity: 'hour', count: 2, words: 'this hour and the last' },
  day: { granularity: 'hour', count: 24, words: 'the last 24 hours' },
  week: { granularity: 'day', count: 7, words: 'the last 7 days' },
  month: { granularity: 'day', count: 30, words: 'the last 30 days' },
};
