import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';
import type { PushEvent } from './push-subscription.entity';

/** What a message to a browser is about. `permission.decided` takes back the notice of a request. */
export type NoticeEvent = PushEvent | 'permission.decided';

export interface NewNotice {
  accountId: string;
  sessionId: string;
  event: PushEvent;
  /** Permission request or turn. */
  recordId: string;
  expiresAt: Date;
}

/** A message that is due, of the last event of a session for one browser. */
export interface DueNotice {
  subscription_id: string;
  session_id: string;
  event: NoticeEvent;
  record_id: string;
  expires_at: Date;
  attempts: number;
  account_id: string;
  target: Buffer;
}

/** Whether the browser may show the notice, or that of an earlier event whose place this one is about to take. */
const IS_SHOWN = '(n.attempts > 0 OR n.noticed_at IS NOT NULL AND n.due_at <= $4)';

/**
 * Stores what browsers have still to be told: one row for each session and browser, with the last event. `due_at` is
 * null once it was sent. The row then remembers when, until the session may notify again.
 */
@Injectable()
export class PushNoticesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Adds a notice for each browser of the account that wants it, instead of one of the same session that was not sent
   * yet. Before the interval is over, it waits, except in the place of a message that closes a decided request. Locks
   * the subscriptions, since a concurrent deletion of one would fail the event's transaction otherwise.
   * @param intervalMs time between two notices of a session
   * @returns whether there was such a browser
   */
  async addNotices(
    { accountId, sessionId, event, recordId, expiresAt }: NewNotice,
    serverKey: string,
    now: Date,
    intervalMs: number,
  ): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `INSERT INTO push_notices AS n (subscription_id, session_id, event, record_id, expires_at, due_at, attempts)
       SELECT id, $2, $3, $4, $5, $6, 0
         FROM (SELECT id FROM push_subscriptions
                WHERE account_id = $1 AND $3::text = ANY(events) AND server_key = $7 ORDER BY id FOR KEY SHARE) s
       ON CONFLICT (subscription_id, session_id) DO UPDATE
          SET event = excluded.event, record_id = excluded.record_id, expires_at = excluded.expires_at, attempts = 0,
              due_at = CASE WHEN n.event = 'permission.decided' AND n.due_at IS NOT NULL THEN excluded.due_at
                            ELSE greatest(excluded.due_at, n.noticed_at + $8 * interval '1 millisecond') END
       RETURNING 1`,
      [accountId, sessionId, event, recordId, expiresAt, now, serverKey, intervalMs],
    );
    return rows.length > 0;
  }

  /**
   * Takes the notices of a request back that was decided: those that were sent become due again, so that the browser
   * closes them, except in the browser that decided. Returns whether any did.
   */
  async takeBack(sessionId: string, requestId: string, deciderId: string | null, now: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows<{ due_at: Date | null }>(
      `UPDATE push_notices n
          SET due_at = CASE WHEN ${IS_SHOWN} AND s.device_id IS DISTINCT FROM $3 THEN $4::timestamptz END,
              event = CASE WHEN ${IS_SHOWN} THEN 'permission.decided' ELSE n.event END, attempts = 0
         FROM push_subscriptions s
        WHERE s.id = n.subscription_id AND n.session_id = $1 AND n.record_id = $2 AND n.event = 'permission.requested'
       RETURNING n.due_at`,
      [sessionId, requestId, deciderId, now],
    );
    return rows.some((row) => row.due_at !== null);
  }

  /**
   * Makes notices of other events of the session due that wait for the end of the interval: a browser shows the notice
   * of an earlier event meanwhile, which may be that of the request that was decided. One that nobody needs any more
   * becomes a message that closes it. A request that was stored after the last notice is not shown, such as one that a
   * rule of the device has decided. Returns whether there was any, outside of the browser that decided.
   */
  async replaceShown(
    { sessionId, id, createdAt }: { sessionId: string; id: string; createdAt: number },
    deciderId: string | null,
    now: Date,
  ): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE push_notices n
          SET due_at = $4, event = CASE WHEN n.due_at IS NULL THEN 'permission.decided' ELSE n.event END,
              record_id = CASE WHEN n.due_at IS NULL THEN $2 ELSE n.record_id END
         FROM push_subscriptions s
        WHERE s.id = n.subscription_id AND n.session_id = $1 AND n.record_id <> $2
          AND n.attempts = 0 AND n.noticed_at >= $5 AND s.device_id IS DISTINCT FROM $3
       RETURNING 1`,
      [sessionId, id, deciderId, now, new Date(createdAt)],
    );
    return rows.length > 0;
  }

  /** Takes due notices for an attempt. Other instances take them again at `leasedUntil` if this one has died. */
  takeDue(now: Date, leasedUntil: Date, limit: number): Promise<DueNotice[]> {
    return this.unitOfWork.queryRows<DueNotice>(
      `WITH due AS MATERIALIZED (
         SELECT subscription_id, session_id FROM push_notices
          WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       UPDATE push_notices n
          SET attempts = n.attempts + 1, due_at = $2,
              noticed_at = CASE WHEN n.event = 'permission.decided' THEN n.noticed_at ELSE $1 END
         FROM due JOIN push_subscriptions s ON s.id = due.subscription_id
        WHERE n.subscription_id = due.subscription_id AND n.session_id = due.session_id
       RETURNING n.subscription_id, n.session_id, n.event, n.record_id, n.expires_at, n.attempts,
                 s.account_id, s.target`,
      [now, leasedUntil, limit],
    );
  }

  /** Ends the attempt, unless a newer event has replaced it meanwhile. @param dueAt next attempt; null: none */
  async endAttempt({ subscription_id, session_id, event, record_id }: DueNotice, dueAt: Date | null): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE push_notices SET due_at = $5
        WHERE subscription_id = $1 AND session_id = $2 AND event = $3 AND record_id = $4 AND attempts > 0`,
      [subscription_id, session_id, event, record_id, dueAt],
    );
  }
}
