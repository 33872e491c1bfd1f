import { Copyable } from '../parts/copyable';
import { Empty } from '../parts/empty';
import { PageHead } from '../parts/page-head';
import { meCurl } from '../tokens/me-curl';
import { Chart, ChartKey } from './chart';
import { Limits, type BucketState } from './limits';
import { PeriodTable } from './period-table';
import type { Period, Span } from './periods';

interface UsagePageProps {
  /** The oldest first. */
  hours: readonly Period[];
  days: readonly Period[];
  states: readonly BucketState[];
  publicUrl: string;
}

export function UsagePage({ hours, days, states, publicUrl }: UsagePageProps) {
  const called = [...hours, ...days].some(({ requests }) => requests > 0);
  return (
    <>
      <PageHead
        heading="Usage"
        about="Calls with your tokens and by apps that act for you, in hours and days of UTC."
      />
      {called ? (
        <>
          <Limits states={states} />
          <Calls granularity="hour" periods={hours} markEvery={12} open={false} />
          <Calls granularity="day" periods={days} markEvery={6} open />
        </>
      ) : (
        <>
          <NoCall publicUrl={publicUrl} />
          <Limits states={states} />
        </>
      )}
    </>
  );
}

interface CallsProps {
  granularity: Span['granularity'];
  periods: readonly Period[];
  markEvery: number;
  /** Whether the table is shown from the beginning. */
  open: boolean;
}

function Calls({ granularity, periods, markEvery, open }: CallsProps) {
  const title = `Calls per ${granularity}, the last ${periods.length} ${granularity}s`;
  return (
    <section class="card" aria-labelledby={granularity}>
      <div class="chart-head">
        <h2 id={granularity}>{title}</h2>
        <ChartKey />
      </div>
      <Chart granularity={granularity} periods={periods} title={title} markEvery={markEvery} />
      <details class="more" open={open}>
        <summary>{`These ${granularity}s as a table`}</summary>
        <PeriodTable granularity={granularity} periods={periods} caption={title} />
      </details>
    </section>
  );
}

function NoCall({ publicUrl }: { publicUrl: string }) {
  return (
    <Empty heading="No call in the last 30 days">
      <p>
        Make a token under <a href="/console/tokens">Tokens</a> and put it into <code>TOKEN</code>. The first call is
        counted here within a second:
      </p>
      <Copyable block label="First call" text={meCurl(publicUrl)} />
    </Empty>
  );
}
