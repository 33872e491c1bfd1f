import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { BOUNDED_DUE_AT } from './endpoint-queues.repository';

/** Serializes measurements across instances. The value is arbitrary. */
const ADVISORY_LOCK_ID = 7_264_005;
/** Largest number that is counted, which bounds the work for a large backlog. */
const MAX_COUNT = 100_000;
/** Number of the earliest due endpoint queues that are looked at. */
const MAX_DUE_QUEUES = 1_000;

/** Work that waits in the database. Ages are 0 if nothing waits. */
export interface WebhookBacklog {
  outboxEvents: number;
  outboxOldestSeconds: number;
  pendingDeliveries: number;
  /** Since the earliest time at which an attempt could have started; not of endpoints with an open circuit breaker. */
  oldestDueSeconds: number;
  /** Of the sessions that the service's role may see in `pg_stat_activity`. */
  oldestTransactionSeconds: number;
}

@Injectable()
export class WebhookBacklogRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Reads the backlog in the caller's transaction. Returns null if another instance is reading it: two would need twice
   * the time when the database is slow. The lock belongs to the transaction, as PgBouncer in transaction mode requires.
   * @param now time of the service's clock
   */
  async measureExclusively(now: Date): Promise<WebhookBacklog | null> {
    const [lock] = await this.unitOfWork.queryRows<{ acquired: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS acquired',
      [ADVISORY_LOCK_ID],
    );
    if (!lock?.acquired) return null;
    // The due times of leased queues are out of date, so that those of due queues are computed from their deliveries.
    const [row] = await this.unitOfWork.queryRows<BacklogRow>(
      `SELECT (SELECT least(coalesce(sum(events), 0), ${MAX_COUNT})::int FROM (
                 (SELECT 1 AS events FROM webhook_outbox LIMIT ${MAX_COUNT})
                 UNION ALL (SELECT cardinality(event_ids) FROM webhook_outbox_batches LIMIT ${MAX_COUNT})) o)
                AS outbox_events,
              least((SELECT created_at FROM webhook_outbox ORDER BY id LIMIT 1),
                    (SELECT created_at FROM webhook_outbox_batches ORDER BY id LIMIT 1)) AS outbox_oldest_at,
              (SELECT count(*)::int FROM (SELECT 1 FROM webhook_deliveries WHERE state = 'pending'
                 LIMIT ${MAX_COUNT}) d) AS pending_deliveries,
              (SELECT min(due.at) FROM (SELECT ${BOUNDED_DUE_AT} AS at FROM webhook_endpoint_queues q
                 WHERE q.due_at <= $1 ORDER BY q.due_at LIMIT ${MAX_DUE_QUEUES}) due) AS oldest_due_at,
              (SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()) AS oldest_transaction_seconds`,
      [now],
    );
    return toBacklog(row!, now);
  }
}

interface BacklogRow {
  outbox_events: number;
  outbox_oldest_at: Date | null;
  pending_deliveries: number;
  oldest_due_at: Date | null;
  oldest_transaction_seconds: number | null;
}

function toBacklog(row: BacklogRow, now: Date): WebhookBacklog {
  const getAgeSeconds = (time: Date | null) => (time ? Math.max(0, (now.getTime() - time.getTime()) / 1_000) : 0);
  return {
    outboxEvents: row.outbox_events,
    outboxOldestSeconds: getAgeSeconds(row.outbox_oldest_at),
    pendingDeliveries: row.pending_deliveries,
    oldestDueSeconds: getAgeSeconds(row.oldest_due_at),
    oldestTransactionSeconds: Math.max(0, row.oldest_transaction_seconds ?? 0),
  };
}
