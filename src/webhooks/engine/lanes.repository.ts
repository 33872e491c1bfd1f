import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';
import type { LaneHealth } from './lane-health';

/** Three times as long as an exchange may take, so that no try outlives the lease that it began under. */
export const LEASE_MS = 60_000;

/** What an instance knows of a lane that it holds. */
export interface Lease {
  webhookId: string;
  /** The fence: its number. */
  lease: string;
  health: LaneHealth;
}

/** A lane as it stands, locked. */
export interface LockedLane extends Lease {
  owner: string | null;
}

/** What a lane keeps of its last tries. */
export interface LaneOutcome {
  webhookId: string;
  health: LaneHealth;
  lastDeliveryAt: Date;
  lastDeliveryStatus: number | null;
}

const LANE = 'webhook_id, owner, lease, failures, failing_since, probe_at';
const UNLEASED = `(l.leased_until IS NULL OR l.leased_until < clock_timestamp())`;
/** The earliest delivery that waits, but not before an open breaker lets one through; null where nothing is to be sent. */
const DUE = `(SELECT greatest(d.next_attempt_at, l.probe_at) FROM webhook_deliveries d
  WHERE d.webhook_id = l.webhook_id AND d.state = 'pending'
    AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = l.webhook_id AND w.state = 'active')
  ORDER BY d.next_attempt_at, d.id LIMIT 1)`;

/** Lanes and their leases. Whoever locks several does so in the order of their ids. */
@Injectable()
export class LanesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Those that exist; what is inserted, released or finished for them meanwhile waits. */
  async lock(webhookIds: readonly string[]): Promise<LockedLane[]> {
    const rows = await this.unitOfWork.query<LaneRow>(
      `SELECT ${LANE} FROM webhook_lanes WHERE webhook_id = ANY($1) ORDER BY webhook_id FOR UPDATE`,
      [webhookIds],
    );
    return rows.map(toLane);
  }

  /** After `lock`, in a statement of its own: one that also locked would not see what it waited for. */
  async refreshDue(webhookIds: readonly string[]): Promise<void> {
    await this.unitOfWork.query(`UPDATE webhook_lanes l SET due_at = ${DUE} WHERE webhook_id = ANY($1)`, [webhookIds]);
  }

  /** Lanes with something to do that nobody holds, the healthy ones first, then whoever waits longest. @param now the service's time */
  async lease(owner: string, now: Date, limit: number): Promise<Lease[]> {
    const rows = await this.unitOfWork.query<LaneRow>(
      `UPDATE webhook_lanes SET owner = $1, lease = lease + 1,
              leased_until = clock_timestamp() + $4 * interval '1 millisecond'
        WHERE webhook_id = ANY(ARRAY(
          SELECT l.webhook_id FROM webhook_lanes l WHERE l.due_at <= $2 AND ${UNLEASED}
           ORDER BY l.probe_at IS NOT NULL, l.leased_until NULLS FIRST, l.due_at LIMIT $3 FOR UPDATE SKIP LOCKED))
        RETURNING ${LANE}`,
      [owner, now, limit, LEASE_MS],
    );
    return rows.map(toLane);
  }

  /** False when it has passed to somebody else, or is gone. */
  async renew({ webhookId, lease }: Lease): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `UPDATE webhook_lanes SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
        WHERE webhook_id = $1 AND lease = $2 RETURNING 1`,
      [webhookId, lease, LEASE_MS],
    );
    return rows.length === 1;
  }

  /** After `lock` and `refreshDue`; it keeps when it was held last. When it is due next, by the service's time. */
  async release(webhookId: string): Promise<Date | null> {
    const [row] = await this.unitOfWork.query<{ due_at: Date | null }>(
      `UPDATE webhook_lanes SET owner = NULL, leased_until = clock_timestamp() - interval '1 millisecond'
        WHERE webhook_id = $1 RETURNING due_at`,
      [webhookId],
    );
    return row?.due_at ?? null;
  }

  /** Where one process serves the database: what an earlier one held when it was killed. */
  async releaseAll(): Promise<void> {
    await this.unitOfWork.query('UPDATE webhook_lanes SET owner = NULL, leased_until = NULL WHERE owner IS NOT NULL');
  }

  async note(outcomes: readonly LaneOutcome[]): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE webhook_lanes l SET failures = o.failures, failing_since = o.failing_since, probe_at = o.probe_at,
              last_delivery_at = o.at, last_delivery_status = o.status
         FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::integer[])
                AS o(webhook_id, failures, failing_since, probe_at, at, status)
        WHERE l.webhook_id = o.webhook_id`,
      [
        outcomes.map(({ webhookId }) => webhookId),
        outcomes.map(({ health }) => health.failures),
        outcomes.map(({ health }) => health.failingSince),
        outcomes.map(({ health }) => health.probeAt),
        outcomes.map(({ lastDeliveryAt }) => lastDeliveryAt),
        outcomes.map(({ lastDeliveryStatus }) => lastDeliveryStatus),
      ],
    );
  }

  /** Forgets that it failed. */
  async heal(webhookId: string): Promise<void> {
    await this.unitOfWork.query(
      'UPDATE webhook_lanes SET failures = 0, failing_since = NULL, probe_at = NULL WHERE webhook_id = $1',
      [webhookId],
    );
  }

  /** Lanes that nobody holds and whose next time is not what it should be. */
  async outOfStep(limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ webhook_id: string }>(
      `SELECT l.webhook_id FROM webhook_lanes l WHERE ${UNLEASED} AND l.due_at IS DISTINCT FROM ${DUE} LIMIT $1`,
      [limit],
    );
    return rows.map((row) => row.webhook_id);
  }
}

interface LaneRow {
  webhook_id: string;
  owner: string | null;
  lease: string;
  failures: number;
  failing_since: Date | null;
  probe_at: Date | null;
}

function toLane(row: LaneRow): LockedLane {
  const { webhook_id: webhookId, owner, lease, failures } = row;
  return {
    webhookId,
    owner,
    lease,
    health: { failures, failingSince: row.failing_since, probeAt: row.probe_at },
  };
}
