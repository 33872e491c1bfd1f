import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { generateId } from '../../../common/ids';
import { UnitOfWork } from '../../../core/database';
import type { OutboxRow } from '../../../core/events';
import { EARLIEST_PENDING } from './endpoint-queues.repository';

/** Event that waits for webhooks. */
export type BacklogEvent = Pick<OutboxRow, 'id' | 'type' | 'payload' | 'traceparent'>;

/** Events of a batch that wait for one webhook. */
export interface BacklogEntry {
  batchId: string;
  /** Places in `events` of those that wait, in order. */
  positions: number[];
  events: BacklogEvent[];
}

/** What waits in the queue of a webhook. */
export interface QueueLoad {
  webhookId: string;
  backlogEvents: number;
  /** Pending deliveries whose attempt is due, counted up to a limit. */
  dueDeliveries: number;
  /** Whether the last attempt was successful. */
  isAccepting: boolean;
}

/** Events of a batch resemble each other: compressed together, they take a fifth of their size. */
const compress = promisify(deflate);
const decompress = promisify(inflate);

interface BatchRow {
  batch_id: string;
  positions: number[];
  /** null in rows of before */
  compressed_events: Buffer | null;
  events: string | null;
}

const CURRENT_QUEUE = `SELECT webhook_id, version, due_at, probe_at, backlog_events, last_delivery_status
  FROM webhook_endpoint_queues WHERE webhook_id = i.id ORDER BY version DESC LIMIT 1`;

/** Stores events that wait for webhooks: each once, however many webhooks it waits for. */
@Injectable()
export class EventBacklogRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param until deliveries whose attempt is later are not counted */
  async readLoads(webhookIds: readonly string[], until: Date, limit: number): Promise<Map<string, QueueLoad>> {
    const rows = await this.unitOfWork.queryRows<QueueLoad>(
      `SELECT q.webhook_id AS "webhookId", q.backlog_events AS "backlogEvents",
              coalesce(q.last_delivery_status BETWEEN 200 AND 299, false) AS "isAccepting", (
                SELECT count(*)::int FROM (
                  SELECT 1 FROM webhook_deliveries d
                   WHERE d.webhook_id = i.id AND d.state = 'pending' AND d.next_attempt_at <= $2
                     AND d.next_attempt_at >= ${EARLIEST_PENDING} LIMIT $3) d) AS "dueDeliveries"
         FROM unnest($1::text[]) AS i(id) CROSS JOIN LATERAL (${CURRENT_QUEUE}) AS q`,
      [webhookIds, until, limit],
    );
    return new Map(rows.map((row) => [row.webhookId, row]));
  }

  /** Counts pending deliveries up to a limit. */
  async countPending(webhookId: string, limit: number): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT $2) d`,
      [webhookId, limit],
    );
    return row!.count;
  }

  /** Counts the events in the backlog again. Call it after `lockEndpointQueues`. */
  async recountBacklog(webhookId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: number }>(
      `UPDATE webhook_endpoint_queues q SET backlog_events = e.count,
              backlog_due_at = CASE WHEN e.count > 0 THEN q.backlog_due_at END
         FROM (SELECT coalesce(sum(cardinality(positions)), 0)::int AS count
                 FROM webhook_backlog_entries WHERE webhook_id = $1) e
        WHERE q.webhook_id = $1 RETURNING q.backlog_events AS count`,
      [webhookId],
    );
    return row?.count ?? 0;
  }

  /**
   * Adds events of an account, and makes the queues of active webhooks due. Call it after `lockEndpointQueues`.
   * @param positions by webhook: places in `events` of those that wait for it
   */
  async insertBatch(events: readonly BacklogEvent[], positions: ReadonlyMap<string, number[]>, now: Date) {
    const batchId = generateId('evt');
    const webhookIds = [...positions.keys()];
    const lists = [...positions.values()];
    await this.unitOfWork.queryRows(
      `WITH batch AS (
         INSERT INTO webhook_backlog_batches (id, event_ids, compressed_events, created_at) VALUES ($1, $2, $3, $4))
       INSERT INTO webhook_backlog_entries (webhook_id, batch_id, positions)
       SELECT i.id, $1, i.positions::smallint[] FROM unnest($5::text[], $6::text[]) AS i(id, positions)`,
      [
        batchId,
        events.map(({ id }) => id),
        await compress(JSON.stringify(events)),
        now,
        webhookIds,
        lists.map((list) => `{${list.join(',')}}`),
      ],
    );
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET backlog_events = q.backlog_events + c.count,
              backlog_due_at = least(q.backlog_due_at, $3::timestamptz), version = q.version + 1,
              due_at = CASE WHEN c.is_active THEN least(q.due_at, greatest($3::timestamptz, q.probe_at))
                            ELSE q.due_at END
         FROM (SELECT i.count, q.webhook_id, q.version,
                      EXISTS (SELECT 1 FROM webhooks w WHERE w.id = i.id AND w.state = 'active') AS is_active
                 FROM unnest($1::text[], $2::integer[]) AS i(id, count),
                      LATERAL (${CURRENT_QUEUE}) AS q) AS c
        WHERE q.webhook_id = c.webhook_id AND q.version = c.version`,
      [webhookIds, lists.map((list) => list.length), now],
    );
  }

  /** Returns the oldest entries of the webhook. */
  async findEntries(webhookId: string, limit: number): Promise<BacklogEntry[]> {
    const rows = await this.unitOfWork.queryRows<BatchRow>(
      `SELECT e.batch_id, e.positions, b.compressed_events, b.events
         FROM webhook_backlog_entries e JOIN webhook_backlog_batches b ON b.id = e.batch_id
        WHERE e.webhook_id = $1 ORDER BY e.batch_id LIMIT $2`,
      [webhookId, limit],
    );
    return Promise.all(rows.map(toEntry));
  }

  /**
   * Removes the first events of an entry. Deletes the batch when no webhook waits for it any more: its row is locked,
   * so that of two webhooks that finish it the later one sees that it was the last.
   * @param count number of events that no longer wait
   */
  async removeEvents(webhookId: string, { batchId, positions }: BacklogEntry, count: number): Promise<void> {
    if (count < positions.length) {
      await this.unitOfWork.queryRows(
        `UPDATE webhook_backlog_entries SET positions = positions[$3 + 1:] WHERE webhook_id = $1 AND batch_id = $2`,
        [webhookId, batchId, count],
      );
      return;
    }
    await this.unitOfWork.queryRows(
      'DELETE FROM webhook_backlog_entries WHERE webhook_id = $1 AND batch_id = $2 RETURNING 1',
      [webhookId, batchId],
    );
    await this.deleteUnusedBatches([batchId]);
  }

  /** Deletes a part of the entries of a deleted webhook. Returns how many. */
  async deleteEntries(webhookId: string, limit: number): Promise<number> {
    const rows = await this.unitOfWork.queryRows<{ batch_id: string }>(
      `DELETE FROM webhook_backlog_entries WHERE webhook_id = $1 AND batch_id = ANY(ARRAY(
         SELECT batch_id FROM webhook_backlog_entries WHERE webhook_id = $1 ORDER BY batch_id LIMIT $2
            FOR UPDATE SKIP LOCKED)) RETURNING batch_id`,
      [webhookId, limit],
    );
    if (rows.length > 0) await this.deleteUnusedBatches(rows.map((row) => row.batch_id));
    return rows.length;
  }

  /**
   * Counts fewer events in the backlog. Call it after `lockEndpointQueues`.
   * @param nextAt when the next ones become deliveries; null if none are left
   */
  async reduceBacklog(webhookId: string, count: number, nextAt: Date | null): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhook_endpoint_queues q SET version = q.version + 1, backlog_due_at = $3::timestamptz,
              backlog_events = CASE WHEN $3::timestamptz IS NULL THEN 0
                                    ELSE greatest(0, q.backlog_events - $2::integer) END
         FROM (SELECT q.webhook_id, q.version
                 FROM unnest(ARRAY[$1::text]) AS i(id), LATERAL (${CURRENT_QUEUE}) AS q) c
        WHERE q.webhook_id = c.webhook_id AND q.version = c.version`,
      [webhookId, count, nextAt],
    );
  }

  private async deleteUnusedBatches(batchIds: readonly string[]): Promise<void> {
    await this.unitOfWork.queryRows('SELECT 1 FROM webhook_backlog_batches WHERE id = ANY($1) ORDER BY id FOR UPDATE', [
      batchIds,
    ]);
    await this.unitOfWork.queryRows(
      `DELETE FROM webhook_backlog_batches b WHERE b.id = ANY($1)
          AND NOT EXISTS (SELECT 1 FROM webhook_backlog_entries e WHERE e.batch_id = b.id) RETURNING 1`,
      [batchIds],
    );
  }
}

async function toEntry({ batch_id: batchId, positions, ...row }: BatchRow): Promise<BacklogEntry> {
  const json = row.compressed_events ? (await decompress(row.compressed_events)).toString() : row.events!;
  return { batchId, positions, events: JSON.parse(json) as BacklogEvent[] };
}
