import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../persistence';
import type { EventType } from './change';

export interface NewOutboxRow {
  id: string;
  accountId: string;
  type: EventType;
  /** The JSON text that is sent, but for what differs from one subscriber to the next. */
  payload: string;
  /** W3C Trace Context */
  traceparent: string | null;
  createdAt: Date;
}

/** A row of `webhook_outbox`. */
export interface OutboxRow {
  id: string;
  account_id: string;
  type: EventType;
  payload: string;
  traceparent: string | null;
  /** The subscriptions that stood when it happened. */
  webhook_ids: string[];
}

@Injectable()
export class OutboxRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Those that an active or paused subscription of their account matches; true when there was one. */
  async insertMatching(rows: NewOutboxRow[]): Promise<boolean> {
    const written = rows.length === 1 ? await this.insertOne(rows[0]!) : await this.insertAll(rows);
    return written.length > 0;
  }

  async insertFor(webhookId: string, row: NewOutboxRow): Promise<void> {
    await this.unitOfWork.query(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       VALUES ($1, $2, $3, $4, $5, $6, ARRAY[$7])`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent, webhookId],
    );
  }

  /** By `SKIP LOCKED`, never by a cursor over ids: a transaction that commits late has an early id. */
  take(limit: number): Promise<OutboxRow[]> {
    return this.unitOfWork.query<OutboxRow>(
      `WITH taken AS (
         DELETE FROM webhook_outbox
          WHERE id = ANY(ARRAY(SELECT id FROM webhook_outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
          RETURNING id, account_id, type, payload, traceparent, webhook_ids)
       SELECT * FROM taken ORDER BY id`,
      [limit],
    );
  }

  /** What most transactions say is one thing, and its statement is planned in half the time. */
  private insertOne(row: NewOutboxRow): Promise<unknown[]> {
    return this.unitOfWork.query(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       SELECT $1, $2, $3, $4, $5, $6, ids
         FROM (SELECT array_agg(id) AS ids FROM webhooks
                WHERE account_id = $2 AND state <> 'disabled' AND events && ARRAY[$3, '*']) w
        WHERE ids IS NOT NULL RETURNING 1`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent],
    );
  }

  private insertAll(rows: NewOutboxRow[]): Promise<unknown[]> {
    return this.unitOfWork.query(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       SELECT e.id, e.account_id, e.type, e.payload, e.created_at, e.traceparent, w.ids
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
                AS e(id, account_id, type, payload, created_at, traceparent),
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
      ],
    );
  }
}
