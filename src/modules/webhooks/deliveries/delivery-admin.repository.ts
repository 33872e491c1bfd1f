import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { DELIVERY_COLUMNS, REPLAYABLE } from './deliveries.repository';
import type { DeliveryRow, WebhookDeliveryState } from './delivery.response.dto';

/** Webhooks of one account, or one webhook. */
export interface DeliveryTarget {
  accountId: string;
  webhookIds: readonly string[];
}

export interface DeliverySearch {
  state?: WebhookDeliveryState;
  eventId?: string;
  /** Id of a delivery. Only older ones are returned. */
  before?: string;
  limit: number;
}

/** Statements on deliveries of any account, for operators. */
@Injectable()
export class DeliveryAdminRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async findWebhook(id: string): Promise<DeliveryTarget | null> {
    return this.findTarget('SELECT account_id, id FROM webhooks WHERE id = $1', id);
  }

  async findWebhooksOfAccount(accountId: string): Promise<DeliveryTarget> {
    const sql = 'SELECT account_id, id FROM webhooks WHERE account_id = $1 ORDER BY id';
    return (await this.findTarget(sql, accountId)) ?? { accountId, webhookIds: [] };
  }

  async findWebhookOfDelivery(deliveryId: string): Promise<DeliveryTarget | null> {
    const sql = `SELECT w.account_id, w.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
                  WHERE d.id = $1`;
    return this.findTarget(sql, deliveryId);
  }

  /** Returns the newest deliveries of the webhooks. Each webhook's part is read from its index. */
  findDeliveries(webhookIds: readonly string[], search: DeliverySearch): Promise<DeliveryRow[]> {
    const { state = null, eventId = null, before = null, limit } = search;
    return this.unitOfWork.queryRows<DeliveryRow>(
      `SELECT d.* FROM unnest($1::text[]) AS w(id) CROSS JOIN LATERAL (
         SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d
          WHERE d.webhook_id = w.id AND ($2::text IS NULL OR d.state = $2) AND ($3::text IS NULL OR d.event_id = $3)
            AND ($4::text IS NULL OR (d.created_at, d.id) < (
              SELECT b.created_at, b.id FROM webhook_deliveries b WHERE b.id = $4))
          ORDER BY d.created_at DESC, d.id DESC LIMIT $5) AS d
        ORDER BY d.created_at DESC, d.id DESC LIMIT $5`,
      [webhookIds, state, eventId, before, limit],
    );
  }

  async countReplayable(webhookId: string, since: Date): Promise<number> {
    return this.countDeliveries(`${REPLAYABLE} AND d.created_at >= $2`, webhookId, since);
  }

  /** Counts pending deliveries, and the events in the backlog that will be. */
  async countPending(webhookId: string, eventId: string | null): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM webhook_backlog_entries e JOIN webhook_backlog_batches b ON b.id = e.batch_id,
              unnest(e.positions) AS position
        WHERE e.webhook_id = $1 AND ($2::text IS NULL
                OR coalesce(b.event_ids[position + 1], b.events::jsonb -> position::integer ->> 'id') = $2)`,
      [webhookId, eventId],
    );
    const condition = `d.state = 'pending' AND ($2::text IS NULL OR d.event_id = $2)`;
    return row!.count + (await this.countDeliveries(condition, webhookId, eventId));
  }

  /** Cancels pending deliveries of a webhook whose queue is locked. Returns how many it has cancelled. */
  async cancelPending(webhookId: string, eventId: string | null, now: Date, limit: number): Promise<number> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE webhook_deliveries SET state = 'cancelled', next_attempt_at = NULL, finished_at = $3
        WHERE id IN (SELECT id FROM webhook_deliveries
                      WHERE webhook_id = $1 AND state = 'pending' AND ($2::text IS NULL OR event_id = $2)
                      ORDER BY next_attempt_at, id LIMIT $4)
          AND state = 'pending' RETURNING 1`,
      [webhookId, eventId, now, limit],
    );
    return rows.length;
  }

  private async countDeliveries(condition: string, webhookId: string, parameter: unknown): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries d WHERE d.webhook_id = $1 AND ${condition}`,
      [webhookId, parameter],
    );
    return row!.count;
  }

  private async findTarget(sql: string, id: string): Promise<DeliveryTarget | null> {
    const rows = await this.unitOfWork.queryRows<{ account_id: string; id: string }>(sql, [id]);
    return rows.length > 0 ? { accountId: rows[0]!.account_id, webhookIds: rows.map((row) => row.id) } : null;
  }
}
