import { ACCOUNT_BUCKET_NAMES } from '../../../access/rate-limiting';
import { BarChart, ChartLegend } from '../components/bar-chart';
import { formatAxisMark, formatCallCount, formatNumber, formatPeriodName } from './usage-format';
import { type UsagePeriod, type UsageTimeRange, sumPeriods } from './usage-periods';

interface UsageChartProps {
  granularity: UsageTimeRange['granularity'];
  /** Oldest first. */
  periods: readonly UsagePeriod[];
  /** Accessible title. */
  title: string;
  /** Periods between two marks of the axis; must divide the number of periods. */
  markInterval: number;
}

/** Chart of calls by bucket, with the errors among them. */
export function UsageChart({ granularity, periods, title, markInterval }: UsageChartProps) {
  const marks = periods.filter((_, index) => index % markInterval === 0);
  return (
    <BarChart
      id={`calls-by-${granularity}`}
      title={title}
      description={describeUsage(granularity, periods)}
      bars={periods.map((period) => ({
        key: period.start,
        title: `${formatPeriodName(granularity, period.start)} UTC: ${formatBucketCounts([period])}`,
        parts: ACCOUNT_BUCKET_NAMES.map((name) => ({ class: name, value: period.calls[name] })),
        errors: period.errors,
      }))}
      formatValue={formatNumber}
      marks={marks.map(({ start }) => formatAxisMark(granularity, start))}
    />
  );
}

/** Legend of the colours. */
export function UsageChartLegend() {
  return <ChartLegend entries={Object.fromEntries([...ACCOUNT_BUCKET_NAMES, 'errors'].map((name) => [name, name]))} />;
}

function describeUsage(granularity: UsageTimeRange['granularity'], periods: readonly UsagePeriod[]): string {
  const busiest = periods.reduce((most, period) => (period.requests > most.requests ? period : most));
  const all = `${formatBucketCounts(periods)} in total.`;
  if (busiest.requests === 0) return all;
  const period = formatPeriodName(granularity, busiest.start);
  return `${all} Busiest ${granularity}: ${formatNumber(busiest.requests)}, ${period} UTC.`;
}

function formatBucketCounts(periods: readonly UsagePeriod[]): string {
  const parts = ACCOUNT_BUCKET_NAMES.map(
    (name) => `${formatNumber(sumPeriods(periods, ({ calls }) => calls[name]))} ${name}`,
  );
  const calls = formatCallCount(sumPeriods(periods, ({ requests }) => requests));
  const errors = sumPeriods(periods, (period) => period.errors);
  return `${calls} (${parts.join(', ')}), ${formatNumber(errors)} ${errors === 1 ? 'error' : 'errors'}`;
}
