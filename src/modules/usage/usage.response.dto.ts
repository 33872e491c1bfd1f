import { DAY, HOUR } from '../../common/clock';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';

/** Sums as returned by the database, where bigints are strings. */
interface SumsRow {
  requests: string;
  errors: string;
  rate_limited: string;
}

export interface CallerUsageRow extends SumsRow {
  /** Id of the token, or client id of the app. Null for those that no longer exist. */
  id: string | null;
  name: string | null;
  is_app: boolean;
}

export interface OperationUsageRow extends SumsRow {
  operation: string;
}

/** Sum of a group. Columns that are not grouped by are empty strings. */
export interface UsageRow extends SumsRow {
  start: Date;
  granularity: 'hour' | 'day';
  bucket: string;
  token_id: string;
  operation: string;
}

/** Calls of a token, an app or an operation. */
export interface UsageShare {
  requests: number;
  errors: number;
  rateLimited: number;
}

export interface CallerUsage extends UsageShare {
  /** Null for tokens and authorizations that no longer exist. */
  id: string | null;
  name: string | null;
  isApp: boolean;
}

export interface OperationUsage extends UsageShare {
  operation: string;
}

/** Calls in one period (docs/protocol/external-api.md#records). */
export class UsageDto {
  @ObjectTypeField('usage')
  object!: 'usage';

  /** Start of the hour or day in UTC, inclusive. */
  @UnixTimeField(1_788_220_800_000)
  start!: number;

  /** End of the period, exclusive. */
  @UnixTimeField(1_788_307_200_000)
  end!: number;

  /**
   * Rate limit bucket; null if not grouped by bucket.
   * @example metadata
   */
  bucket!: string | null;

  /** Token id; null if not grouped by token. */
  @IdField('tok')
  tokenId!: string | null;

  /**
   * Operation id in this document; null if not grouped by operation.
   * @example listSessions
   */
  operation!: string | null;

  @CountField(1204)
  requests!: number;

  /** Number of requests with status 400 or above. */
  @CountField(7)
  errors!: number;

  /** Number of requests with status 429. */
  @CountField(2)
  rateLimited!: number;
}

export function toUsageDto(row: UsageRow): UsageDto {
  const start = row.start.getTime();
  return {
    object: 'usage',
    start,
    end: start + (row.granularity === 'hour' ? HOUR : DAY),
    bucket: row.bucket || null,
    tokenId: row.token_id || null,
    operation: row.operation || null,
    ...toUsageShare(row),
  };
}

export function toUsageShare(row: SumsRow): UsageShare {
  return { requests: Number(row.requests), errors: Number(row.errors), rateLimited: Number(row.rate_limited) };
}
