import { DAY, HOUR } from '../../common/clock';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';

/** Sum as returned by the database: bigints are strings, columns that are not grouped by are empty strings. */
export interface UsageRow {
  start: Date;
  granularity: 'hour' | 'day';
  bucket: string;
  token_id: string;
  operation: string;
  requests: string;
  errors: string;
  rate_limited: string;
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
    requests: Number(row.requests),
    errors: Number(row.errors),
    rateLimited: Number(row.rate_limited),
  };
}
