import { Injectable } from '@nestjs/common';
import { SECOND } from '../../../common/clock';
import { Config } from '../../../core/config';
import { UnitOfWork } from '../../../core/database';
import type { CircuitBreaker } from './circuit-breaker';

/** Returns three times the timeout of an attempt, so that none outlives the lease under which it started. */
export function getEndpointLeaseMs({ webhooks }: Pick<Config, 'webhooks'>): number {
  return 3 * webhooks.attemptTimeoutSeconds * SECOND;
}

/** Lease of an endpoint queue that this instance owns, or whose row is locked. */
export interface EndpointLease {
  webhookId: string;
  /** Number of the lease. Later leases have higher numbers. */
  fencingToken: string;
  circuitBreaker: CircuitBreaker;
  /** Number of events that wait in the backlog. */
  backlogEvents: number;
}

/** Result of the latest attempts of an endpoint queue. */
export interface EndpointQueueOutcome {
  webhookId: string;
  circuitBreaker: CircuitBreaker;
  lastDeliveryAt: Date;
  lastDeliveryStatus: number | null;
}

const QUEUE_COLUMNS = 'q.webhook_id, q.lease, q.failures, q.failing_since, q.probe_at, q.backlog_events';
const UNLEASED_CONDITION = `(q.leased_until IS NULL OR q.leased_until < clock_timestamp())`;
/** Current row of the endpoint queue `i.id`. Reads the index backwards, so that it passes no older version. */
const CURRENT_ROW = `SELECT webhook_id, version FROM webhook_endpoint_queues
  WHERE webhook_id = i.id ORDER BY version DESC LIMIT 1`;
const CURRENT_ROWS = `unnest($1::text[]) AS i(id) CROSS JOIN LATERAL (${CURRENT_ROW}) AS c`;
const IS_CURRENT_ROW = 'q.webhook_id = c.webhook_id AND q.version = c.version';

/**
 * Time before which no delivery of the queue is pending, in SQL. While the circuit breaker was closed at the start of
 * the lease, the due time is one: inserts lower it under the queue's lock, and a failed attempt is retried later.
 */
export const EARLIEST_PENDING = `coalesce(CASE WHEN q.probe_at IS NULL THEN q.due_at END, '-infinity')`;

/**
 * Time of the earliest pending delivery or of the backlog, but not before the next probe of an open circuit breaker.
 * Null when nothing waits.
 * @param since lower bound of the search, in SQL
 */
const dueAtExpression = (since: string) => `(SELECT greatest(waiting.at, q.probe_at) FROM (
    SELECT least(q.backlog_due_at, (
      SELECT d.next_attempt_at FROM webhook_deliveries d
       WHERE d.webhook_id = q.webhook_id AND d.state = 'pending' AND d.next_attempt_at >= ${since}
       ORDER BY d.next_attempt_at, d.id LIMIT 1)) AS at OFFSET 0) AS waiting
  WHERE waiting.at IS NOT NULL
    AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = q.webhook_id AND w.state = 'active'))`;
const EXACT_DUE_AT = dueAtExpression(`'-infinity'`);
/** Due time that is found without reading deliveries that ended before, whose rows a held snapshot retains. */
export const BOUNDED_DUE_AT = dueAtExpression(EARLIEST_PENDING);

/**
 * Stores endpoint queues and their leases. To avoid deadlocks, lock several queues in the order of their ids.
 *
 * Every frequent update increments `version`, the second column of the primary key. A backward scan of the index meets
 * the newest version first. A search by `webhook_id` alone would also visit the older versions, which PostgreSQL
 * retains while a transaction holds an old snapshot (docs/decisions/0045).
 */
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
  async lockEndpointQueues(webhookIds: readonly string[]): Promise<EndpointLease[]> {
    const rows = await this.unitOfWork.queryRows<EndpointQueueRow>(
      `SELECT ${QUEUE_COLUMNS} FROM unnest($1::text[]) AS i(id) CROSS JOIN LATERAL (
         SELECT ${QUEUE_COLUMNS} FROM webhook_endpoint_queues q
          WHERE q.webhook_id = i.id ORDER BY q.version DESC LIMIT 1 FOR UPDATE) AS q`,
      [[...webhookIds].sort()],
    );
    return rows.map(toEndpointLease);
  }

  /**
   * Recalculates the due times. Call it after `lockEndpointQueues`: a single statement that also locked would not see
   * the rows committed while it waited.
   */
  async refreshDueTimes(webhookIds: readonly string[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET due_at = ${EXACT_DUE_AT}, version = q.version + 1
         FROM ${CURRENT_ROWS} WHERE ${IS_CURRENT_ROW}`,
      [webhookIds],
    );
  }

  /**
   * Lowers the due times of active webhooks to those of deliveries that were inserted. Call it after
   * `lockEndpointQueues`. Compares the webhook with `i.id`: as an equal of `q.webhook_id`, it would replace the version
   * in the search for the row.
   * @param dueTimes earliest new due time by webhook id
   */
  async includeDueTimes(dueTimes: ReadonlyMap<string, Date>): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET due_at = greatest(c.due_at, q.probe_at), version = q.version + 1
         FROM (SELECT c.*, i.due_at FROM unnest($1::text[], $2::timestamptz[]) AS i(id, due_at)
                CROSS JOIN LATERAL (${CURRENT_ROW}) AS c
                WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.id = i.id AND w.state = 'active')) AS c
        WHERE ${IS_CURRENT_ROW} AND (q.due_at IS NULL OR q.due_at > greatest(c.due_at, q.probe_at))`,
      [[...dueTimes.keys()], [...dueTimes.values()]],
    );
  }

  /**
   * Leases due queues without a lease: closed circuit breakers first, then the least recently leased.
   * @param from lowest due time, in ms, of the queues that are leased
   * @param now time of the service's clock
   */
  async leaseDueQueues(owner: string, from: number, now: Date, limit: number): Promise<EndpointLease[]> {
    const rows = await this.unitOfWork.queryRows<EndpointQueueRow>(
      `WITH c AS (
         SELECT q.webhook_id, q.version FROM webhook_endpoint_queues q
          WHERE q.due_at >= $5 AND q.due_at <= $2 AND ${UNLEASED_CONDITION}
          ORDER BY q.probe_at IS NOT NULL, q.leased_until NULLS FIRST, q.due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       UPDATE webhook_endpoint_queues q SET owner = $1, lease = q.lease + 1, version = q.version + 1,
              leased_until = clock_timestamp() + $4 * interval '1 millisecond'
         FROM c WHERE ${IS_CURRENT_ROW} RETURNING ${QUEUE_COLUMNS}`,
      [owner, now, limit, this.leaseMs, from === -Infinity ? '-infinity' : new Date(from)],
    );
    return rows.map(toEndpointLease);
  }

  /** Returns false when the lease was lost or the webhook was deleted. */
  extendLease(endpointLease: EndpointLease): Promise<boolean> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.lockLeasedQueue(endpointLease))) return false;
      await this.updateLeasedQueue(
        endpointLease,
        `leased_until = clock_timestamp() + $2 * interval '1 millisecond'`,
        this.leaseMs,
      );
      return true;
    });
  }

  /**
   * Releases the lease and recalculates the due time. Preserves the time of the last lease. Returns the next due time
   * by the service's clock, and null when none is pending or the lease was lost.
   */
  releaseLease(endpointLease: EndpointLease): Promise<Date | null> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.lockLeasedQueue(endpointLease))) return null;
      const leasedUntil = `clock_timestamp() - $2 * interval '1 millisecond'`;
      return this.updateLeasedQueue(endpointLease, `owner = NULL, leased_until = ${leasedUntil}`, 1);
    });
  }

  /** Releases the leases of the owner, except those of the given webhooks. Does not recalculate the due times. */
  async releaseOtherLeases(owner: string, webhookIds: readonly string[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `WITH c AS (
         SELECT q.webhook_id, q.version FROM webhook_endpoint_queues q
          WHERE q.owner = $1 AND q.webhook_id <> ALL($2) ORDER BY q.webhook_id FOR UPDATE)
       UPDATE webhook_endpoint_queues q SET owner = NULL, version = q.version + 1,
              leased_until = clock_timestamp() - interval '1 millisecond'
         FROM c WHERE ${IS_CURRENT_ROW}`,
      [owner, webhookIds],
    );
  }

  /** Releases the leases of a killed process. Only for deployments with a single process. */
  async releaseAllLeases(): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE webhook_endpoint_queues SET owner = NULL, leased_until = NULL WHERE owner IS NOT NULL',
    );
  }

  /** Call it after `lockEndpointQueues`. */
  async saveOutcomes(outcomes: readonly EndpointQueueOutcome[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET failures = i.failures, failing_since = i.failing_since,
              probe_at = i.probe_at, last_delivery_at = i.at, last_delivery_status = i.status, version = q.version + 1
         FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::integer[])
                AS i(id, failures, failing_since, probe_at, at, status)
              CROSS JOIN LATERAL (${CURRENT_ROW}) AS c
        WHERE ${IS_CURRENT_ROW}`,
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

  /** Returns when the next probe may be sent, null while the circuit breaker is closed, and when a delivery is due. */
  async findDueTimes(webhookId: string): Promise<{ probeAt: Date | null; dueAt: Date | null }> {
    const [row] = await this.unitOfWork.queryRows<{ probeAt: Date | null; dueAt: Date | null }>(
      `SELECT probe_at AS "probeAt", due_at AS "dueAt" FROM webhook_endpoint_queues
        WHERE webhook_id = $1 ORDER BY version DESC LIMIT 1`,
      [webhookId],
    );
    return row ?? { probeAt: null, dueAt: null };
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
        WHERE ${UNLEASED_CONDITION} AND q.due_at IS DISTINCT FROM ${EXACT_DUE_AT} LIMIT $1`,
      [limit],
    );
    return rows.map((row) => row.webhook_id);
  }

  private async lockLeasedQueue({ webhookId, fencingToken }: EndpointLease): Promise<boolean> {
    const [lockedQueue] = await this.lockEndpointQueues([webhookId]);
    return lockedQueue?.fencingToken === fencingToken;
  }

  /** Recalculates the due time and applies these assignments, whose parameter is `$2`. Returns the due time. */
  private async updateLeasedQueue(
    { webhookId, circuitBreaker }: EndpointLease,
    assignments: string,
    parameter: number,
  ): Promise<Date | null> {
    const dueAt = dueAtExpression(circuitBreaker.probeAt ? `'-infinity'` : EARLIEST_PENDING);
    const [row] = await this.unitOfWork.queryRows<{ due_at: Date | null }>(
      `UPDATE webhook_endpoint_queues q SET due_at = ${dueAt}, ${assignments}, version = q.version + 1
         FROM ${CURRENT_ROWS} WHERE ${IS_CURRENT_ROW} RETURNING q.due_at`,
      [[webhookId], parameter],
    );
    return row?.due_at ?? null;
  }
}

interface EndpointQueueRow {
  webhook_id: string;
  lease: string;
  failures: number;
  failing_since: Date | null;
  probe_at: Date | null;
  backlog_events: number;
}

function toEndpointLease(row: EndpointQueueRow): EndpointLease {
  const { webhook_id: webhookId, lease: fencingToken, failures, backlog_events: backlogEvents } = row;
  return {
    webhookId,
    fencingToken,
    backlogEvents,
    circuitBreaker: { failures, failingSince: row.failing_since, probeAt: row.probe_at },
  };
}
