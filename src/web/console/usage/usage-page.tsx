import { EmptyState, Table, type TableColumn } from '@external-api/pages';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { buildMeCurl } from '../tokens/me-curl';
import { ACCOUNT_BUCKET_NAMES } from '../../../access/rate-limiting';
import { type BucketUsage, RateLimitsSection } from './rate-limits-section';
import { UsageChart, UsageChartLegend } from './usage-chart';
import { formatNumber, formatPeriodName } from './usage-format';
import type { UsagePeriod, UsageTimeRange } from './usage-periods';
import { UsageShares, type UsageSharesProps } from './usage-shares';

interface UsagePageProps {
  /** Oldest first. */
  hours: readonly UsagePeriod[];
  days: readonly UsagePeriod[];
  shares: UsageSharesProps;
  buckets: readonly BucketUsage[];
  publicUrl: string;
}

export function UsagePage({ hours, days, shares, buckets, publicUrl }: UsagePageProps) {
  const hasCalls = [...hours, ...days].some(({ requests }) => requests > 0);
  return (
    <>
      <PageHead
        heading="Usage"
        description="Calls with your tokens and by authorized apps. Hours and days are in UTC."
      />
      {hasCalls ? (
        <>
          <RateLimitsSection states={buckets} />
          <CallsSection granularity="hour" periods={hours} markInterval={12} />
          <CallsSection granularity="day" periods={days} markInterval={6} />
          <UsageShares {...shares} />
        </>
      ) : (
        <>
          <UsageEmptyState publicUrl={publicUrl} />
          <RateLimitsSection states={buckets} />
        </>
      )}
    </>
  );
}

interface CallsSectionProps {
  granularity: UsageTimeRange['granularity'];
  periods: readonly UsagePeriod[];
  markInterval: number;
}

function CallsSection({ granularity, periods, markInterval }: CallsSectionProps) {
  const title = `Calls per ${granularity}, the last ${periods.length} ${granularity}s`;
  return (
    <section class="card" aria-labelledby={granularity}>
      <div class="chart-head">
        <h2 id={granularity}>{title}</h2>
        <UsageChartLegend />
      </div>
      <UsageChart granularity={granularity} periods={periods} title={title} markInterval={markInterval} />
      <details class="more">
        <summary>{`Show these ${granularity}s as a table`}</summary>
        <PeriodTable granularity={granularity} periods={periods} caption={title} />
      </details>
    </section>
  );
}

function UsageEmptyState({ publicUrl }: { publicUrl: string }) {
  return (
    <EmptyState heading="No calls in the last 30 days">
      <p>
        Create a token under <a href="/console/tokens">Tokens</a> and store it in <code>TOKEN</code>. Your first call
        appears here within a second:
      </p>
      <Copyable isBlock label="First call" text={buildMeCurl(publicUrl)} />
    </EmptyState>
  );
}

const createCountColumn = (name: string, getCount: (usagePeriod: UsagePeriod) => number): TableColumn<UsagePeriod> => ({
  name,
  cell: (period) => formatNumber(getCount(period)),
  isNumber: true,
});

const COUNT_COLUMNS: readonly TableColumn<UsagePeriod>[] = [
  ...ACCOUNT_BUCKET_NAMES.map((name) => createCountColumn(name, ({ calls }) => calls[name])),
  createCountColumn('Errors', ({ errors }) => errors),
  createCountColumn('Limited', ({ rateLimited }) => rateLimited),
];

interface PeriodTableProps {
  granularity: UsageTimeRange['granularity'];
  /** Oldest first. */
  periods: readonly UsagePeriod[];
  caption: string;
}

/** The chart's numbers as a table, newest first. Periods without calls are left out. */
function PeriodTable({ granularity, periods, caption }: PeriodTableProps) {
  const activePeriods = periods.filter(({ requests }) => requests > 0).reverse();
  if (activePeriods.length === 0) return <p class="fine">{`There were no calls in these ${granularity}s.`}</p>;
  const name: TableColumn<UsagePeriod> = {
    name: granularity === 'hour' ? 'Hour (UTC)' : 'Day (UTC)',
    cell: ({ start }) => formatPeriodName(granularity, start),
  };
  return (
    <>
      <Table caption={caption} columns={[name, ...COUNT_COLUMNS]} rows={activePeriods} getKey={({ start }) => start} />
      <p class="fine">
        Errors counts calls with a status of 400 or above. Limited counts the calls among them that were rate limited
        (429).
      </p>
    </>
  );
}
