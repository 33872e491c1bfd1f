import { Table, type Column } from '../parts/table';
import { ACCOUNT_BUCKETS } from './account-buckets';
import type { Period, Span } from './periods';
import { figure, periodName } from './utc';

const count = (name: string, of: (period: Period) => number): Column<Period> => ({
  name,
  cell: (period) => figure(of(period)),
  isNumber: true,
});

const COUNTS: readonly Column<Period>[] = [
  ...ACCOUNT_BUCKETS.map((name) => count(name, ({ calls }) => calls[name])),
  count('Errors', ({ errors }) => errors),
  count('Limited', ({ rateLimited }) => rateLimited),
];

interface PeriodTableProps {
  granularity: Span['granularity'];
  /** The oldest first. */
  periods: readonly Period[];
  caption: string;
}

/** The chart's figures for those who read, the newest first; a period without a call says nothing. */
export function PeriodTable({ granularity, periods, caption }: PeriodTableProps) {
  const called = periods.filter(({ requests }) => requests > 0).reverse();
  if (called.length === 0) return <p class="fine">{`There was no call in any ${granularity} of these.`}</p>;
  const name: Column<Period> = {
    name: granularity === 'hour' ? 'Hour (UTC)' : 'Day (UTC)',
    cell: ({ start }) => periodName(granularity, start),
  };
  return (
    <>
      <Table caption={caption} columns={[name, ...COUNTS]} rows={called} keyOf={({ start }) => start} />
      <p class="fine">
        Errors are calls that were answered with 400 or above; limited are those of them that came too often (429).
      </p>
    </>
  );
}
