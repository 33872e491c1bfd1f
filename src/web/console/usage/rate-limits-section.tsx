import { Table, type TableColumn } from '@external-api/pages';
import { describeAccountBucket, type RateLimitStateDto, type AccountBucketName } from '../../../access/rate-limiting';
import { formatNumber } from './usage-format';

/** State of a bucket. */
export interface BucketUsage extends RateLimitStateDto {
  name: AccountBucketName;
  /** Calls since the start of the UTC day. */
  today: number;
}

const COLUMNS: readonly TableColumn<BucketUsage>[] = [
  {
    name: 'Bucket',
    cell: ({ name }) => (
      <>
        <strong>{name}</strong>
        <small>{describeAccountBucket(name)}</small>
      </>
    ),
  },
  { name: 'Limit', cell: ({ limit }) => `${formatNumber(limit)} per minute`, isNumber: true },
  { name: 'Remaining', cell: (state) => <RemainingCell state={state} />, isNumber: true },
  { name: 'Today', cell: ({ today }) => formatNumber(today), isNumber: true },
];

/** Shows limits, remaining calls and today's calls. */
export function RateLimitsSection({ states: buckets }: { states: readonly BucketUsage[] }) {
  return (
    <section class="part" aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <Table caption="Rate buckets" columns={COLUMNS} rows={buckets} getKey={({ name }) => name} />
      <p class="fine">
        All your tokens and authorized apps share these limits, and so do messages, commands and decisions that you send
        from the console. Its pages read without using them up. The limits reset every minute, and no limit applies per
        day. <a href="/docs/limits">Limits</a>
      </p>
    </section>
  );
}

function RemainingCell({ state: { limit, remaining, reset } }: { state: BucketUsage }) {
  return (
    <>
      <span>{formatNumber(remaining)}</span>
      {remaining < limit && <small>{`resets in ${reset} s`}</small>}
    </>
  );
}
