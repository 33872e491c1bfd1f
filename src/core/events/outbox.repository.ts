import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database';
import type { EventType } from './domain-event';

/** Position of the last event of a deleted session, which has no counter any more. */
const LAST_POSITION = Number.MAX_SAFE_INTEGER;

export interface NewEventRow {
  id: string;
  accountId: string;
  /** null for an event of the account */
  sessionId: string | null;
  type: EventType;
  /** JSON payload, without the members that differ between webhooks. */
  payload: string;
  /** W3C Trace Context */
  traceparent: string | null;
  createdAt: Date;
}

/** Row of `webhook_outbox`. */
export interface OutboxRow {
  id: string;
  account_id: string;
  type: EventType;
  payload: string;
  traceparent: string | null;
  /** Webhooks that subscribed to the event when it happened. */
  webhook_ids: string[];
}

/** Events of an account in the log. */
export interface LogSearch {
  accountId: string;
  /** Includes `*` for all. */
  types: readonly string[];
  since: Date;
  until: Date;
}

@Injectable()
export class OutboxRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Appends the events to the log, and to the outbox those that an active or paused webhook of their account subscribes
   * to. Returns whether there was such a webhook. Events of a session take the next positions of its counter, which
   * stays locked until the commit, so that positions become visible in their order.
   */
  async insertEvents(rows: NewEventRow[]): Promise<boolean> {
    const written = rows.length === 1 ? await this.insertOne(rows[0]!) : await this.insertAll(rows);
    return written.length > 0;
  }

  async insertForWebhook(webhookId: string, row: NewEventRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       VALUES ($1, $2, $3, $4, $5, $6, ARRAY[$7])`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent, webhookId],
    );
  }

  /** Returns the ids of events in the log, in their order. */
  async findLogged({ accountId, types, since, until }: LogSearch, afterId: string, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM event_log WHERE account_id = $1 AND logged_at >= $2 AND logged_at < $3
          AND (type = ANY($4) OR '*' = ANY($4)) AND id > $5 ORDER BY id LIMIT $6`,
      [accountId, since, until, types, afterId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Adds events of the log to the outbox for one more webhook. */
  async insertLogged({ accountId, since }: LogSearch, ids: readonly string[], webhookId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_outbox AS o (id, account_id, type, payload, created_at, webhook_ids)
       SELECT id, account_id, type, payload, logged_at, ARRAY[$4] FROM event_log
        WHERE account_id = $1 AND logged_at >= $2 AND id = ANY($3)
       ON CONFLICT (id) DO UPDATE SET webhook_ids = array_append(array_remove(o.webhook_ids, $4), $4)`,
      [accountId, since, ids, webhookId],
    );
  }

  /**
   * Deletes and returns the oldest rows that no other instance is taking.
   * @param fromId lowest id that is taken. Transactions commit late with earlier ids, so that it must not be a cursor.
   */
  takeRows(fromId: string, limit: number): Promise<OutboxRow[]> {
    return this.unitOfWork.queryRows<OutboxRow>(
      `WITH taken AS (
         DELETE FROM webhook_outbox
          WHERE id = ANY(ARRAY(
            SELECT id FROM webhook_outbox WHERE id >= $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
          RETURNING id, account_id, type, payload, traceparent, webhook_ids)
       SELECT id, account_id, type, payload, traceparent, webhook_ids FROM taken ORDER BY id`,
      [fromId, limit],
    );
  }

  /** Deletes events of an account from the log. Returns how many. */
  async deleteLogged(accountId: string, limit: number | null = null): Promise<number> {
    // Partitions may have rows of other accounts at the same places.
    const rows = await this.unitOfWork.queryRows(
      `DELETE FROM event_log WHERE account_id = $1
          AND ctid = ANY(ARRAY(SELECT ctid FROM event_log WHERE account_id = $1 LIMIT $2)) RETURNING 1`,
      [accountId, limit],
    );
    return rows.length;
  }

  /** Most transactions have a single event, for which this statement takes half the planning time. */
  private insertOne(row: NewEventRow): Promise<unknown[]> {
    return this.unitOfWork.queryRows(
      `WITH session AS (
         UPDATE sessions SET event_position = event_position + 1 WHERE id = $7 RETURNING event_position),
       logged AS (
         INSERT INTO event_log (id, account_id, session_id, position, type, payload, logged_at)
         VALUES ($1, $2, $7::text, CASE WHEN $7::text IS NOT NULL THEN
                  coalesce((SELECT event_position FROM session), ${LAST_POSITION}) END, $3, $4, $5))
       INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       SELECT $1, $2, $3, $4, $5, $6, ids
         FROM (SELECT array_agg(id) AS ids FROM webhooks
                WHERE account_id = $2 AND state <> 'disabled' AND events && ARRAY[$3, '*']) w
        WHERE ids IS NOT NULL RETURNING 1`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent, row.sessionId],
    );
  }

  private insertAll(rows: NewEventRow[]): Promise<unknown[]> {
    return this.unitOfWork.queryRows(
      `WITH event AS (
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])
                WITH ORDINALITY AS e(id, account_id, type, payload, created_at, traceparent, session_id, n)),
       session AS (
         UPDATE sessions s SET event_position = s.event_position + e.count
           FROM (SELECT session_id, count(*) FROM event GROUP BY session_id) e
          WHERE s.id = e.session_id RETURNING s.id, s.event_position),
       logged AS (
         INSERT INTO event_log (id, account_id, session_id, position, type, payload, logged_at)
         SELECT e.id, e.account_id, e.session_id, CASE WHEN e.session_id IS NOT NULL THEN
                  coalesce(s.event_position, ${LAST_POSITION}) + 1
                    - row_number() OVER (PARTITION BY e.session_id ORDER BY n DESC) END,
                e.type, e.payload, e.created_at
           FROM event e LEFT JOIN session s ON s.id = e.session_id)
       INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       SELECT e.id, e.account_id, e.type, e.payload, e.created_at, e.traceparent, w.ids
         FROM event e,
              LATERAL (SELECT array_agg(id) AS ids FROM webhooks
                        WHERE account_id = e.account_id AND state <> 'disabled' AND events && ARRAY[e.type, '*']) w
        WHERE w.ids IS NOT NULL RETURNING 1`,
      [
        rows.map((row) => row.id),
        rows.map((row) => row.accountId),
        rows.map((row) => row.type),
        rows.map((row) => row.payload),
        rows.map((row) => row.createdAt),
        rows.map((row) => row.traceparent),
        rows.map((row) => row.sessionId),
      ],
    );
  }
}
