import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';

/** Hours that can contain unexpired responses. */
const WINDOW_HOURS = 25;

/**
 * Counts the stored response bytes of an account by the hour of storage. The bytes of an hour stop counting when it
 * leaves the window, regardless of which instance deletes the responses.
 */
@Injectable()
export class StoredResponseBytesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Counts a response. Returns false and counts nothing if the account would exceed `limit` bytes. */
  async reserveBytes(accountId: string, bytes: number, limit: number): Promise<boolean> {
    // The row of the hour serializes writers, and its count is read again after the wait.
    const rows = await this.unitOfWork.queryRows(
      `WITH this AS (SELECT date_trunc('hour', now()) AS hour),
            others AS (
              SELECT coalesce(sum(k.bytes), 0) AS bytes FROM kept_answer_hours k, this
               WHERE k.account_id = $1 AND k.hour <> this.hour AND k.hour > this.hour - $4::integer * interval '1 hour')
       INSERT INTO kept_answer_hours AS k (account_id, hour, bytes)
       SELECT $1, this.hour, $2::bigint FROM this, others WHERE others.bytes + $2::bigint <= $3::bigint
       ON CONFLICT (account_id, hour) DO UPDATE SET bytes = k.bytes + excluded.bytes
         WHERE k.bytes + excluded.bytes + (SELECT bytes FROM others) <= $3::bigint
       RETURNING 1`,
      [accountId, bytes, limit, WINDOW_HOURS],
    );
    return rows.length === 1;
  }
}
