import { Injectable } from '@nestjs/common';
import type { Scope } from '../../../access/auth';
import type { EventType } from '../../../core/events';
import { UnitOfWork } from '../../../core/database';
import type { WebhookDeliveryState } from '../deliveries/delivery.response.dto';
import type { WebhookFormat, WebhookLifecycleState } from '../subscriptions/webhook.response.dto';
import { EARLIEST_PENDING, type EndpointLease } from './endpoint-queues.repository';

/** Columns of a webhook that the dispatcher reads. */
export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  state: WebhookLifecycleState;
  format: WebhookFormat;
  headers: Buffer | null;
  token_id: string | null;
  app_id: string | null;
  scopes: Scope[];
  secret: Buffer;
  old_secret: Buffer | null;
  old_secret_ends_at: Date | null;
}

const SELECT_ENDPOINTS = `SELECT w.id, w.account_id, w.url, w.state, w.format, w.headers, w.token_id, w.app_id,
  w.scopes, w.secret, w.old_secret, w.old_secret_ends_at FROM webhooks w`;

/** Delivery that is due. */
export interface PendingDeliveryRow {
  id: string;
  event_id: string;
  type: EventType;
  payload: string;
  traceparent: string | null;
  attempts: number;
  last_status: number | null;
}

/** State of a delivery after an attempt or a cancellation. */
export interface DeliveryOutcome {
  id: string;
  webhookId: string;
  state: WebhookDeliveryState;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
}

/**
 * Reads and writes webhooks and deliveries for dispatch. Doesn't check ownership: callers pass ids that are already
 * authorized.
 */
@Injectable()
export class PendingDeliveriesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  findEndpoints(webhookIds: readonly string[]): Promise<EndpointRow[]> {
    return this.unitOfWork.queryRows<EndpointRow>(`${SELECT_ENDPOINTS} WHERE w.id = ANY($1)`, [webhookIds]);
  }

  /** Returns undefined when the lease was lost or the webhook was deleted. */
  async findLeasedEndpoint({ webhookId, fencingToken }: EndpointLease): Promise<EndpointRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<EndpointRow>(
      `${SELECT_ENDPOINTS} WHERE w.id = $1
          AND (SELECT lease FROM webhook_endpoint_queues WHERE webhook_id = $1 ORDER BY version DESC LIMIT 1) = $2`,
      [webhookId, fencingToken],
    );
    return row;
  }

  /**
   * Returns due deliveries of an active webhook, oldest first.
   * @param excludedIds deliveries that are already in progress
   */
  findDueDeliveries(
    { webhookId, circuitBreaker }: EndpointLease,
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<PendingDeliveryRow[]> {
    return this.unitOfWork.queryRows<PendingDeliveryRow>(
      `SELECT id, event_id, type, payload, traceparent, attempts, last_status FROM webhook_deliveries
        WHERE webhook_id = $1 AND state = 'pending' AND next_attempt_at <= $2 AND id <> ALL($3)
          AND ($5 OR next_attempt_at >= (
            SELECT ${EARLIEST_PENDING} FROM webhook_endpoint_queues q
             WHERE q.webhook_id = $1 ORDER BY q.version DESC LIMIT 1))
          AND EXISTS (SELECT 1 FROM webhooks WHERE id = $1 AND state = 'active')
        ORDER BY next_attempt_at, id LIMIT $4`,
      [webhookId, now, excludedIds, limit, circuitBreaker.probeAt !== null],
    );
  }

  /**
   * Returns the ids that were actually updated. Skips finished, deleted and already-recorded deliveries. IS NOT
   * DISTINCT FROM makes PostgreSQL find the rows by their ids: it takes the index of pending deliveries for small,
   * although the index retains the finished ones while a transaction holds an old snapshot.
   */
  async saveOutcomes(outcomes: readonly DeliveryOutcome[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `UPDATE webhook_deliveries d SET state = o.state, attempts = o.attempts, last_status = o.last_status,
              next_attempt_at = o.next_attempt_at, finished_at = o.finished_at
         FROM json_to_recordset($1) AS o(id text, state text, attempts integer, last_status integer,
                next_attempt_at timestamptz, finished_at timestamptz)
        WHERE d.id = o.id AND d.state IS NOT DISTINCT FROM 'pending'
          AND (d.state, d.attempts, d.next_attempt_at) IS DISTINCT FROM (o.state, o.attempts, o.next_attempt_at)
        RETURNING d.id`,
      [JSON.stringify(outcomes.map(toColumns))],
    );
    return new Set(rows.map(({ id }) => id));
  }
}

function toColumns({ id, state, attempts, ...outcome }: DeliveryOutcome) {
  return {
    id,
    state,
    attempts,
    last_status: outcome.lastStatus,
    next_attempt_at: outcome.nextAttemptAt,
    finished_at: outcome.finishedAt,
  };
}
