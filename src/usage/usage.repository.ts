import { Injectable } from '@nestjs/common';
import type { Page } from '../common/pages';
import { KeysetPager, UnitOfWork, type Filters, type KeysetKey } from '../persistence';
import type { UsageCountEntity } from './usage-count.entity';
import type { UsageRow } from './usage-record';
import type { UsageQuery } from './usage.dto';

@Injectable()
export class UsageRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** Adds to what stands there. */
  async add(counts: UsageCountEntity[]): Promise<void> {
    await this.unitOfWork.query(
      `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
       SELECT c.* FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[],
                              $6::integer[], $7::integer[], $8::integer[])
              AS c (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
       ORDER BY 1, 2, 3, 4, 5
       ON CONFLICT (account_id, hour, bucket, token_id, operation) DO UPDATE SET
         requests = usage_counts.requests + excluded.requests,
         errors = usage_counts.errors + excluded.errors,
         rate_limited = usage_counts.rate_limited + excluded.rate_limited`,
      [
        counts.map((count) => count.accountId),
        counts.map((count) => count.hour),
        counts.map((count) => count.bucket),
        counts.map((count) => count.tokenId),
        counts.map((count) => count.operation),
        counts.map((count) => count.requests),
        counts.map((count) => count.errors),
        counts.map((count) => count.rateLimited),
      ],
    );
  }

  /** A page of hours ends where it is full, for hours come in the primary key's order; days are sums of the period. */
  page(accountId: string, query: UsageQuery): Promise<Page<UsageRow>> {
    return this.pager.page<UsageRow>(
      {
        name: 'usage',
        owner: accountId,
        select: sums,
        key: groupKey,
        grouped: true,
        where: (filters, bind) => [
          `account_id = ${bind(accountId)}`,
          `hour >= ${startOf(filters, `${bind(new Date(filters.from!))}::timestamptz`)}`,
          `hour < ${bind(new Date(filters.to!))}::timestamptz`,
        ],
      },
      query,
    );
  }
}

const GROUPS = { bucket: 'bucket', token: 'token_id', operation: 'operation' } as const;

function groupsOf(filters: Filters): (keyof typeof GROUPS)[] {
  const asked = String(filters.groupBy ?? '').split(',');
  return (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).filter((group) => asked.includes(group));
}

/** Periods begin in UTC, whatever the time zone of the connection. */
function startOf({ granularity }: Filters, time: string): string {
  const unit = granularity === 'hour' ? 'hour' : 'day';
  return `date_trunc('${unit}', ${time} AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`;
}

/** The bare column where that will do: an expression could not be read off the index. */
function periodOf(filters: Filters): string {
  return filters.granularity === 'hour' ? 'hour' : startOf(filters, 'hour');
}

function groupKey(filters: Filters): KeysetKey<UsageRow> {
  const columns = groupsOf(filters).map((group) => GROUPS[group]);
  return {
    columns: [[periodOf(filters), 'timestamptz'], ...columns.map((column): [string, 'text'] => [column, 'text'])],
    valuesOf: (row) => [row.start.getTime(), ...columns.map((column) => row[column])],
  };
}

/** What is not grouped by is an empty text. */
function sums(filters: Filters): string {
  const groups = groupsOf(filters);
  const by = (group: keyof typeof GROUPS) => (groups.includes(group) ? GROUPS[group] : `''`);
  return `
    SELECT ${periodOf(filters)} AS start, '${filters.granularity === 'hour' ? 'hour' : 'day'}' AS granularity,
           ${by('bucket')} AS bucket, ${by('token')} AS token_id, ${by('operation')} AS operation,
           sum(requests) AS requests, sum(errors) AS errors, sum(rate_limited) AS rate_limited
      FROM usage_counts`;
}
