import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import type { EventType } from '../../events';
import { UnitOfWork } from '../../persistence';
import type { DeliveryState } from '../deliveries/delivery-record';
import type { WebhookState } from '../subscriptions/webhook-record';
import type { Lease } from './lanes.repository';

/** A subscription as the engine sees it. */
export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  state: WebhookState;
  token_id: string | null;
  app_id: string | null;
  scopes: Scope[];
  secret: Buffer;
  old_secret: Buffer | null;
  old_secret_ends_at: Date | null;
}

/** A delivery whose turn it is. */
export interface QueuedRow {
  id: string;
  event_id: string;
  type: EventType;
  payload: string;
  traceparent: string | null;
  attempts: number;
  last_status: number | null;
}

/** What a try, or its omission, made of a delivery. */
export interface DeliveryOutcome {
  id: string;
  webhookId: string;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
}

/** What the engine reads and writes of subscriptions and deliveries; whose they are was settled before. */
@Injectable()
export class QueueRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  endpoints(webhookIds: readonly string[]): Promise<EndpointRow[]> {
    return this.unitOfWork.query<EndpointRow>('SELECT * FROM webhooks WHERE id = ANY($1)', [webhookIds]);
  }

  /** Undefined when the lease is somebody else's by now, or the subscription is gone. */
  async heldEndpoint({ webhookId, lease }: Lease): Promise<EndpointRow | undefined> {
    const [row] = await this.unitOfWork.query<EndpointRow>(
      `SELECT w.* FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id WHERE w.id = $1 AND l.lease = $2`,
      [webhookId, lease],
    );
    return row;
  }

  /** Those whose time has come, of an active subscription; the oldest first. @param taken ids that are under way */
  due(webhookId: string, now: Date, taken: readonly string[], limit: number): Promise<QueuedRow[]> {
    return this.unitOfWork.query<QueuedRow>(
      `SELECT id, event_id, type, payload, traceparent, attempts, last_status FROM webhook_deliveries
        WHERE webhook_id = $1 AND state = 'pending' AND next_attempt_at <= $2 AND id <> ALL($3)
          AND EXISTS (SELECT 1 FROM webhooks WHERE id = $1 AND state = 'active')
        ORDER BY next_attempt_at, id LIMIT $4`,
      [webhookId, now, taken, limit],
    );
  }

  /** The ids of those that it changed: not of those that are finished or gone, nor of what was written before. */
  async write(outcomes: readonly DeliveryOutcome[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `UPDATE webhook_deliveries d SET state = o.state, attempts = o.attempts, last_status = o.last_status,
              next_attempt_at = o.next_attempt_at, finished_at = o.finished_at
         FROM json_to_recordset($1) AS o(id text, state text, attempts integer, last_status integer,
                next_attempt_at timestamptz, finished_at timestamptz)
        WHERE d.id = o.id AND d.state = 'pending'
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
