import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database';
import type { EventType } from './domain-event';

export interface NewOutboxRow {
  id: string;
  accountId: string;
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

@Injectable()
export class OutboxRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Inserts the rows that an active or paused webhook of their account subscribes to. Returns whether any was. */
  async insertMatching(rows: NewOutboxRow[]): Promise<boolean> {
    const written = rows.length === 1 ? await this.insertOne(rows[0]!) : await this.insertAll(rows);
    return written.length > 0;
  }

  async insertForWebhook(webhookId: string, row: NewOutboxRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       VALUES ($1, $2, $3, $4, $5, $6, ARRAY[$7])`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent, webhookId],
    );
  }

  /**
   * Deletes and returns the oldest rows. Uses `SKIP LOCKED` instead of a cursor over ids, which would miss transactions
   * that commit late with an earlier id.
   */
  takeRows(limit: number): Promise<OutboxRow[]> {
    return this.unitOfWork.queryRows<OutboxRow>(
      `WITH taken AS (
         DELETE FROM webhook_outbox
          WHERE id = ANY(ARRAY(SELECT id FROM webhook_outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
          RETURNING id, account_id, type, payload, traceparent, webhook_ids)
       SELECT * FROM taken ORDER BY id`,
      [limit],
    );
  }

  /** Most transactions have a single event, for which this statement takes half the planning time. */
  private insertOne(row: NewOutboxRow): Promise<unknown[]> {
    return this.unitOfWork.queryRows(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       SELECT $1, $2, $3, $4, $5, $6, ids
         FROM (SELECT array_agg(id) AS ids FROM webhooks
                WHERE account_id = $2 AND state <> 'disabled' AND events && ARRAY[$3, '*']) w
        WHERE ids IS NOT NULL RETURNING 1`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent],
    );
  }

  private insertAll(rows: NewOutboxRow[]): Promise<unknown[]> {
    return this.unitOfWork.queryRows(
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
