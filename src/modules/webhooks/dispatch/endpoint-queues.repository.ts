import { Injectable } from '@nestjs/common';
import { SECOND } from '../../../common/clock';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import type { CircuitBreaker } from './circuit-breaker';

/** Returns three times the timeout of an attempt, so that none outlives the lease under which it started. */
export function getEndpointLeaseMs({ webhooks }: Pick<Config, 'webhooks'>): number {
  return 3 * webhooks.attemptTimeoutSeconds * SECOND;
}

/** Lease of an endpoint queue, as its owner sees it. */
export interface EndpointLease {
  webhookId: string;
  /** Number of the lease. Later leases have higher numbers. */
  fencingToken: string;
  circuitBreaker: CircuitBreaker;
}

/** Endpoint queue whose row is locked. */
export interface LockedEndpointQueue extends EndpointLease {
  owner: string | null;
}

/** Result of the latest attempts of an endpoint queue. */
export interface EndpointQueueOutcome {
  webhookId: string;
  circuitBreaker: CircuitBreaker;
  lastDeliveryAt: Date;
  lastDeliveryStatus: number | null;
}

const QUEUE_COLUMNS = 'webhook_id, owner, lease, failures, failing_since, probe_at';
const UNLEASED_CONDITION = `(q.leased_until IS NULL OR q.leased_until < clock_timestamp())`;
/**
 * Time of the earliest pending delivery, but not before the next probe of an open circuit breaker. Null when none is
 * pending.
 */
const DUE_AT_EXPRESSION = `(SELECT greatest(d.next_attempt_at, q.probe_at) FROM webhook_deliveries d
  WHERE d.webhook_id = q.webhook_id AND d.state = 'pending'
    AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = q.webhook_id AND w.state = 'active')
  ORDER BY d.next_attempt_at, d.id LIMIT 1)`;

/** Stores endpoint queues and their leases. To avoid deadlocks, lock several queues in the order of their ids. */
@Injectable()
export class EndpointQueuesRepository {
  private readonly leaseMs: number;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    config: Config,
  ) {
    this.leaseMs = getEndpointLeaseMs(config);
  }

  /** Locks the rows that exist (FOR UPDATE). Concurrent inserts, releases and results block until commit. */
  async lockEndpointQueues(webhookIds: readonly string[]): Promise<LockedEndpointQueue[]> {
    const rows = await this.unitOfWork.queryRows<EndpointQueueRow>(
      `SELECT ${QUEUE_COLUMNS} FROM webhook_endpoint_queues WHERE webhook_id = ANY($1) ORDER BY webhook_id FOR UPDATE`,
      [webhookIds],
    );
    return rows.map(toLockedQueue);
  }

  /**
   * Recalculates the due times. Call it after `lockEndpointQueues`: a single statement that also locked would not see
   * the rows committed while it waited.
   */
  async refreshDueTimes(webhookIds: readonly string[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET due_at = ${DUE_AT_EXPRESSION} WHERE webhook_id = ANY($1)`,
      [webhookIds],
    );
  }

  /**
   * Leases due queues without a lease: closed circuit breakers first, then the least recently leased.
   * @param now time of the service's clock
   */
  async leaseDueQueues(owner: string, now: Date, limit: number): Promise<EndpointLease[]> {
    const rows = await this.unitOfWork.queryRows<EndpointQueueRow>(
      `UPDATE webhook_endpoint_queues SET owner = $1, lease = lease + 1,
              leased_until = clock_timestamp() + $4 * interval '1 millisecond'
        WHERE webhook_id = ANY(ARRAY(
          SELECT q.webhook_id FROM webhook_endpoint_queues q WHERE q.due_at <= $2 AND ${UNLEASED_CONDITION}
           ORDER BY q.probe_at IS NOT NULL, q.leased_until NULLS FIRST, q.due_at LIMIT $3 FOR UPDATE SKIP LOCKED))
        RETURNING ${QUEUE_COLUMNS}`,
      [owner, now, limit, this.leaseMs],
    );
    return rows.map(toLockedQueue);
  }

  /** Returns false when the lease was lost or the webhook was deleted. */
  async extendLease({ webhookId, fencingToken }: EndpointLease): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
        WHERE webhook_id = $1 AND lease = $2 RETURNING 1`,
      [webhookId, fencingToken, this.leaseMs],
    );
    return rows.length === 1;
  }

  /**
   * Releases the lease. Call it after `lockEndpointQueues` and `refreshDueTimes`. Preserves the time of the last lease.
   * Returns the next due time by the service's clock.
   */
  async releaseLease(webhookId: string): Promise<Date | null> {
    const [row] = await this.unitOfWork.queryRows<{ due_at: Date | null }>(
      `UPDATE webhook_endpoint_queues SET owner = NULL, leased_until = clock_timestamp() - interval '1 millisecond'
        WHERE webhook_id = $1 RETURNING due_at`,
      [webhookId],
    );
    return row?.due_at ?? null;
  }

  /** Releases the leases of a killed process. Only for deployments with a single process. */
  async releaseAllLeases(): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE webhook_endpoint_queues SET owner = NULL, leased_until = NULL WHERE owner IS NOT NULL',
    );
  }

  async saveOutcomes(outcomes: readonly EndpointQueueOutcome[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET failures = o.failures, failing_since = o.failing_since,
              probe_at = o.probe_at, last_delivery_at = o.at, last_delivery_status = o.status
         FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::integer[])
                AS o(webhook_id, failures, failing_since, probe_at, at, status)
        WHERE q.webhook_id = o.webhook_id`,
      [
        outcomes.map(({ webhookId }) => webhookId),
        outcomes.map(({ circuitBreaker }) => circuitBreaker.failures),
        outcomes.map(({ circuitBreaker }) => circuitBreaker.failingSince),
        outcomes.map(({ circuitBreaker }) => circuitBreaker.probeAt),
        outcomes.map(({ lastDeliveryAt }) => lastDeliveryAt),
        outcomes.map(({ lastDeliveryStatus }) => lastDeliveryStatus),
      ],
    );
  }

  async resetCircuitBreaker(webhookId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE webhook_endpoint_queues SET failures = 0, failing_since = NULL, probe_at = NULL WHERE webhook_id = $1',
      [webhookId],
    );
  }

  /** Returns queues without a lease whose due time is out of date. */
  async findStaleQueues(limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ webhook_id: string }>(
      `SELECT q.webhook_id FROM webhook_endpoint_queues q
        WHERE ${UNLEASED_CONDITION} AND q.due_at IS DISTINCT FROM ${DUE_AT_EXPRESSION} LIMIT $1`,
      [limit],
    );
    return rows.map((row) => row.webhook_id);
  }
}

interface EndpointQueueRow {
  webhook_id: string;
  owner: string | null;
  lease: string;
  failures: number;
  failing_since: Date | null;
  probe_at: Date | null;
}

function toLockedQueue(row: EndpointQueueRow): LockedEndpointQueue {
  const { webhook_id: webhookId, owner, lease: fencingToken, failures } = row;
  return {
    webhookId,
    owner,
    fencingToken,
    circuitBreaker: { failures, failingSince: row.failing_since, probeAt: row.probe_at },
  };
}
