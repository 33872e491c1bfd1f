import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';
import type { EventUsageEntity } from './event-usage.entity';

/** Whether an account has written as much on a day as its plan allows. */
export interface EventUsageState {
  account_id: string;
  is_exceeded: boolean;
  /** Bytes a day */
  max_bytes: string;
}

@Injectable()
export class EventUsageRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Adds to the bytes of a day, or begins a new one. Sums of an earlier day than the stored one are dropped. */
  addBytes(sums: readonly EventUsageEntity[], defaultLimit: number): Promise<EventUsageState[]> {
    return this.unitOfWork.queryRows<EventUsageState>(
      `WITH added AS (
         INSERT INTO event_usage AS u (account_id, day, bytes)
         SELECT s.account_id, s.day, s.bytes
           FROM unnest($1::text[], $2::date[], $3::bigint[]) AS s (account_id, day, bytes) ORDER BY 1
         ON CONFLICT (account_id) DO UPDATE SET day = excluded.day,
           bytes = CASE WHEN u.day = excluded.day THEN u.bytes ELSE 0 END + excluded.bytes
         WHERE u.day <= excluded.day
         RETURNING u.account_id, u.bytes)
       SELECT account_id, bytes >= max_bytes AS is_exceeded, max_bytes FROM added, LATERAL (
         SELECT coalesce((limits->>'maxEventBytesPerDay')::bigint, $4) AS max_bytes
           FROM accounts WHERE id = account_id) AS a`,
      [sums.map((sum) => sum.accountId), sums.map((sum) => sum.day), sums.map((sum) => sum.bytes), defaultLimit],
    );
  }

  async findState(accountId: string, day: string, defaultLimit: number): Promise<EventUsageState | undefined> {
    const [row] = await this.unitOfWork.queryRows<EventUsageState>(
      `SELECT account_id, bytes >= max_bytes AS is_exceeded, max_bytes FROM event_usage, LATERAL (
         SELECT coalesce((limits->>'maxEventBytesPerDay')::bigint, $3) AS max_bytes
           FROM accounts WHERE id = account_id) AS a
        WHERE account_id = $1 AND day = $2`,
      [accountId, day, defaultLimit],
    );
    return row;
  }
}
