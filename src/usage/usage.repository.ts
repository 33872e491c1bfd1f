import { Injectable } from '@nestjs/common';
import type { Page } from '../common/pages';
import { KeysetPager, UnitOfWork, type Bind, type Filters } from '../persistence';
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

  page(accountId: string, query: UsageQuery): Promise<Page<UsageRow>> {
    return this.pager.page<UsageRow>(
      {
        name: 'usage',
        owner: accountId,
        select: (filters, bind) => `SELECT g.* FROM (${sums(accountId, filters, bind)}) g`,
        key: {
          columns: [
            ['g.start', 'timestamptz'],
            ['g.bucket', 'text'],
            ['g.token_id', 'text'],
            ['g.operation', 'text'],
          ],
          valuesOf: (row) => [row.start.getTime(), row.bucket, row.token_id, row.operation],
        },
        where: () => ['true'],
      },
      query,
    );
  }
}

/** Sums per period and group; what is not grouped by is an empty text. */
function sums(accountId: string, filters: Filters, bind: Bind): string {
  const groups = String(filters.groupBy ?? '').split(',');
  const by = (group: string, column: string) => (groups.includes(group) ? column : `''::text COLLATE "C"`);
  const unit = filters.granularity === 'hour' ? 'hour' : 'day';
  return `
    SELECT date_trunc('${unit}', hour AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS start,
           '${unit}' AS granularity, ${by('bucket', 'bucket')} AS bucket, ${by('token', 'token_id')} AS token_id,
           ${by('operation', 'operation')} AS operation,
           sum(requests) AS requests, sum(errors) AS errors, sum(rate_limited) AS rate_limited
      FROM usage_counts
     WHERE account_id = ${bind(accountId)}
       AND hour >= date_trunc('${unit}', ${bind(new Date(filters.from!))}::timestamptz AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
       AND hour < ${bind(new Date(filters.to!))}::timestamptz
     GROUP BY 1, 3, 4, 5`;
}
