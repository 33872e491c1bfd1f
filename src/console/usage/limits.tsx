import type { RateLimitState } from '../../rate-limit';
import { Table, type Column } from '../parts/table';
import { BUCKET_WORDS, type AccountBucket } from './account-buckets';
import { figure } from './utc';

/** Where a bucket stands. */
export interface BucketState extends RateLimitState {
  name: AccountBucket;
  /** Calls since the day of UTC began. */
  today: number;
}

const COLUMNS: readonly Column<BucketState>[] = [
  {
    name: 'Bucket',
    cell: ({ name }) => (
      <>
        <strong>{name}</strong>
        <small>{BUCKET_WORDS[name]}</small>
      </>
    ),
  },
  { name: 'Limit', cell: ({ limit }) => `${figure(limit)} a minute`, isNumber: true },
  { name: 'Left now', cell: (state) => <Left state={state} />, isNumber: true },
  { name: 'Today', cell: ({ today }) => figure(today), isNumber: true },
];

/** The limits, what is left of them, and what was called today. */
export function Limits({ states }: { states: readonly BucketState[] }) {
  return (
    <section class="part" aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <Table caption="Rate buckets" columns={COLUMNS} rows={states} keyOf={({ name }) => name} />
      <p class="fine">
        All your tokens and the apps that act for you share them; the console draws on neither. They fill again every
        minute: nothing is limited by the day. <a href="/docs/limits">Limits</a>
      </p>
    </section>
  );
}

function Left({ state: { limit, remaining, reset } }: { state: BucketState }) {
  return (
    <>
      <span>{figure(remaining)}</span>
      {remaining < limit && <small>{`full again in ${reset} s`}</small>}
    </>
  );
}
