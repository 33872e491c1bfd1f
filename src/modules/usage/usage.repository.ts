import { Injectable } from '@nestjs/common';
import type { Page } from '../../common/pages';
import { KeysetPageReader, UnitOfWork, type CursorFilters, type KeysetKey } from '../../core/database';
import type { UsageCountEntity } from './usage-count.entity';
import type { CallerUsageRow, OperationUsageRow, UsageRow } from './usage.response.dto';
import type { GetUsageQueryDto } from './usage.dto';

@Injectable()
export class UsageRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Adds to the stored counts. */
  async addCounts(counts: UsageCountEntity[]): Promise<void> {
    await this.unitOfWork.queryRows(
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

  async countTokenCalls(accountId: string, tokenId: string, since: Date): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ requests: string | null }>(
      `SELECT sum(requests) AS requests FROM usage_counts WHERE account_id = $1 AND hour >= $2 AND token_id = $3`,
      [accountId, since, tokenId],
    );
    return Number(row?.requests ?? 0);
  }

  /**
   * Sums the calls of each token and app since then, most calls first. One row without an id contains those of tokens
   * and authorizations that no longer exist.
   */
  sumByCaller(accountId: string, since: Date, limit: number): Promise<CallerUsageRow[]> {
    return this.unitOfWork.queryRows<CallerUsageRow>(
      `SELECT coalesce(t.id, a.id) AS id, coalesce(t.name, a.name) AS name, a.id IS NOT NULL AS is_app,
              sum(c.requests) AS requests, sum(c.errors) AS errors, sum(c.rate_limited) AS rate_limited
         FROM (SELECT token_id, ${SUMS} FROM usage_counts WHERE account_id = $1 AND hour >= $2 GROUP BY token_id) c
         LEFT JOIN external_tokens t ON t.id = c.token_id AND t.account_id = $1
         LEFT JOIN oauth_token_families f ON f.id = c.token_id
         LEFT JOIN app_authorizations z ON z.id = f.authorization_id AND z.account_id = $1
         LEFT JOIN developer_apps a ON a.id = z.app_id
        GROUP BY 1, 2, 3 ORDER BY sum(c.requests) DESC, 1 LIMIT $3`,
      [accountId, since, limit],
    );
  }

  /** Sums the calls of each operation since then, most calls first. */
  sumByOperation(accountId: string, since: Date, limit: number): Promise<OperationUsageRow[]> {
    return this.unitOfWork.queryRows<OperationUsageRow>(
      `SELECT operation, ${SUMS} FROM usage_counts WHERE account_id = $1 AND hour >= $2
        GROUP BY operation ORDER BY sum(requests) DESC, operation LIMIT $3`,
      [accountId, since, limit],
    );
  }

  /** Lists usage. Hours are read in primary key order up to the page size; days require sums over the whole period. */
  findPage(accountId: string, query: GetUsageQueryDto): Promise<Page<UsageRow>> {
    return this.pager.readPage<UsageRow>(
      {
        name: 'usage',
        ownerId: accountId,
        select: buildSumsQuery,
        key: buildGroupKey,
        isGrouped: true,
        where: (filters, bind) => [
          `account_id = ${bind(accountId)}`,
          `hour >= ${buildPeriodStartExpression(filters, `${bind(new Date(filters.from!))}::timestamptz`)}`,
          `hour < ${bind(new Date(filters.to!))}::timestamptz`,
        ],
      },
      query,
    );
  }
}

const SUMS = 'sum(requests) AS requests, sum(errors) AS errors, sum(rate_limited) AS rate_limited';

const GROUP_COLUMNS = { bucket: 'bucket', token: 'token_id', operation: 'operation' } as const;

function readGroups(cursorFilters: CursorFilters): (keyof typeof GROUP_COLUMNS)[] {
  const requestedGroups = String(cursorFilters.groupBy ?? '').split(',');
  return (Object.keys(GROUP_COLUMNS) as (keyof typeof GROUP_COLUMNS)[]).filter((group) =>
    requestedGroups.includes(group),
  );
}

/** Truncates to UTC periods regardless of the time zone of the connection. */
function buildPeriodStartExpression({ granularity }: CursorFilters, timeExpression: string): string {
  const unit = granularity === 'hour' ? 'hour' : 'day';
  return `date_trunc('${unit}', ${timeExpression} AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`;
}

/** Uses the bare column for hours, because PostgreSQL cannot use the index for an expression. */
function buildPeriodExpression(cursorFilters: CursorFilters): string {
  return cursorFilters.granularity === 'hour' ? 'hour' : buildPeriodStartExpression(cursorFilters, 'hour');
}

function buildGroupKey(cursorFilters: CursorFilters): KeysetKey<UsageRow> {
  const columns = readGroups(cursorFilters).map((group) => GROUP_COLUMNS[group]);
  return {
    columns: [
      [buildPeriodExpression(cursorFilters), 'timestamptz'],
      ...columns.map((column): [string, 'text'] => [column, 'text']),
    ],
    getValues: (row) => [row.start.getTime(), ...columns.map((column) => row[column])],
  };
}

/** Columns that are not grouped by are empty strings. */
function buildSumsQuery(cursorFilters: CursorFilters): string {
  const groups = readGroups(cursorFilters);
  const selectGroup = (group: keyof typeof GROUP_COLUMNS) => (groups.includes(group) ? GROUP_COLUMNS[group] : `''`);
  const granularity = cursorFilters.granularity === 'hour' ? 'hour' : 'day';
  return `
    SELECT ${buildPeriodExpression(cursorFilters)} AS start, '${granularity}' AS granularity,
           ${selectGroup('bucket')} AS bucket, ${selectGroup('token')} AS token_id,
           ${selectGroup('operation')} AS operation,
           ${SUMS}
      FROM usage_counts`;
}
