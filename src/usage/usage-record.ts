import { DAY, HOUR } from '../common/clock';
import { CountField, IdField, ObjectField, TimeField } from '../common/http';

/** A sum as the database gives it: bigints as text, an empty text for what is not grouped by. */
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

/** Calls in one period (external-api.md §3, Records). */
export class UsageRecord {
  @ObjectField('usage')
  object!: 'usage';

  /** Beginning of the hour or day, UTC. */
  @TimeField(1_788_220_800_000)
  start!: number;

  /** Exclusive. */
  @TimeField(1_788_307_200_000)
  end!: number;

  /**
   * Rate bucket; null where not grouped by.
   * @example metadata
   */
  bucket!: string | null;

  /** null where not grouped by. */
  @IdField('tok')
  tokenId!: string | null;

  /**
   * Operation id of this document; null where not grouped by.
   * @example listSessions
   */
  operation!: string | null;

  @CountField(1204)
  requests!: number;

  /** Those of `requests` with status 400 and above. */
  @CountField(7)
  errors!: number;

  /** Those of `requests` with status 429. */
  @CountField(2)
  rateLimited!: number;
}

export function toUsageRecord(row: UsageRow): UsageRecord {
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
