import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database';
import type { EventType } from './domain-event';

/** Position of the last event of a deleted session, which has no counter any more. */
const LAST_POSITION = Number.MAX_SAFE_INTEGER;
/** Events of a row of `webhook_outbox_batches`. */
const MAX_BATCH_EVENTS = 100;

export interface NewEventRow {
  id: string;
  accountId: string;
  /** null for an event of the account */
  sessionId: string | null;
  type: EventType;
  /** JSON payload, without the members that differ between webhooks. */
  payload: string;
  /** W3C Trace Context */
  traceparent: string | null;
  createdAt: Date;
}

/** Event that waits for its fan-out. */
export interface OutboxRow {
  id: string;
  account_id: string;
  type: EventType;
  payload: string;
  traceparent: string | null;
  /** Webhooks that subscribed to the event when it happened. */
  webhook_ids: string[];
}

/** Events that were taken from a table of the outbox. */
export interface TakenEvents {
  events: OutboxRow[];
  /** Lowest id of the rows that may be left; undefined if there are none. */
  nextId: string | undefined;
}

/** Events of an account in the log. */
export interface LogSearch {
  accountId: string;
  /** Includes `*` for all. */
  types: readonly string[];
  since: Date;
  until: Date;
  /** Record whose events of this type are left out. */
  except?: { type: string; recordId: string };
}

/**
 * Stores the outbox. What waits for the fan-out is in `webhook_outbox_batches`: the ids of up to a hundred events of a
 * transaction, whose payloads are in the log, so that they are written once. `webhook_outbox` has events for a single
 * webhook, with their payloads, and those of the previous release.
 */
@Injectable()
export class OutboxRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Appends the events to the log, and to the outbox those that an active or paused webhook of their account subscribes
   * to. Returns whether there was such a webhook. Events of a session take the next positions of its counter, which
   * stays locked until the commit, so that positions become visible in their order.
   */
  async insertEvents(rows: NewEventRow[]): Promise<boolean> {
    const written = rows.length === 1 ? await this.insertOne(rows[0]!) : await this.insertAll(rows);
    return written.length > 0;
  }

  async insertForWebhook(webhookId: string, row: NewEventRow): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_outbox (id, account_id, type, payload, created_at, traceparent, webhook_ids)
       VALUES ($1, $2, $3, $4, $5, $6, ARRAY[$7])`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent, webhookId],
    );
  }

  /** Returns the ids of events in the log, in their order. */
  async findLogged(search: LogSearch, afterId: string, limit: number): Promise<string[]> {
    const { accountId, types, since, until, except } = search;
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM event_log WHERE account_id = $1 AND logged_at >= $2 AND logged_at < $3
          AND (type = ANY($4) OR '*' = ANY($4)) AND id > $5
          AND (type = $7 AND payload::json #>> '{data,id}' = $8) IS NOT TRUE ORDER BY id LIMIT $6`,
      [accountId, since, until, types, afterId, limit, except?.type ?? null, except?.recordId ?? null],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the rows of these events, if a fan-out is not taking them. If one is, waits for its end. */
  async lockRows(ids: readonly string[]): Promise<void> {
    await this.unitOfWork.queryRows('SELECT 1 FROM webhook_outbox WHERE id = ANY($1) ORDER BY id FOR UPDATE', [ids]);
  }

  /** Returns the ids of the events of an account that wait for their fan-out to the webhook. */
  async findWaiting(accountId: string, webhookId: string): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM webhook_outbox WHERE account_id = $1 AND $2 = ANY(webhook_ids)
       UNION
       SELECT unnest(event_ids) FROM webhook_outbox_batches WHERE account_id = $1 AND $2 = ANY(webhook_ids)`,
      [accountId, webhookId],
    );
    return rows.map(({ id }) => id);
  }

  /** Adds events of the log to the outbox for one more webhook. */
  async insertLogged({ accountId, since }: LogSearch, ids: readonly string[], webhookId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_outbox AS o (id, account_id, type, payload, created_at, webhook_ids)
       SELECT id, account_id, type, payload, logged_at, ARRAY[$4] FROM event_log
        WHERE account_id = $1 AND logged_at >= $2 AND id = ANY($3)
       ON CONFLICT (id) DO UPDATE SET webhook_ids = array_append(array_remove(o.webhook_ids, $4), $4)`,
      [accountId, since, ids, webhookId],
    );
  }

  /**
   * Deletes and returns the oldest events for single webhooks that no other instance is taking.
   * @param fromId lowest id that is taken. Transactions commit late with earlier ids, so that it must not be a cursor.
   */
  async takeRows(fromId: string, limit: number): Promise<TakenEvents> {
    const events = await this.unitOfWork.queryRows<OutboxRow>(
      `WITH taken AS (
         DELETE FROM webhook_outbox
          WHERE id = ANY(ARRAY(
            SELECT id FROM webhook_outbox WHERE id >= $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
          RETURNING id, account_id, type, payload, traceparent, webhook_ids)
       SELECT id, account_id, type, payload, traceparent, webhook_ids FROM taken ORDER BY id`,
      [fromId, limit],
    );
    return { events, nextId: events.length < limit ? undefined : events.at(-1)!.id };
  }

  /**
   * Deletes the oldest batches that no other instance is taking, and returns their events, those of each batch in the
   * order in which they occurred, as far as the log has them: those of a deleted account are gone.
   * @param fromId as for `takeRows`
   * @param limit number of events. With less than a batch has, batches may be left.
   */
  async takeBatches(fromId: string, limit: number): Promise<TakenEvents> {
    const rows = await this.unitOfWork.queryRows<{ batch_id: string; count: number } & (OutboxRow | { id: null })>(
      `WITH taken AS (
         DELETE FROM webhook_outbox_batches
          WHERE id = ANY(ARRAY(
            SELECT id FROM (
              SELECT id, sum(count) OVER (ORDER BY id) AS total FROM (
                SELECT id, cardinality(event_ids) AS count FROM webhook_outbox_batches
                 WHERE id >= $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) AS locked) AS counted
             WHERE total <= $2))
          RETURNING id, account_id, xid, event_ids, webhook_ids, traceparent)
       SELECT t.id AS batch_id, cardinality(t.event_ids) AS count, t.account_id, t.traceparent, t.webhook_ids,
              e.id, e.type, e.payload
         FROM taken t LEFT JOIN LATERAL (
                SELECT id, type, payload FROM event_log
                 WHERE account_id = t.account_id AND xid = t.xid AND id = ANY(t.event_ids) OFFSET 0) AS e ON true
        ORDER BY t.id, array_position(t.event_ids, e.id)`,
      [fromId, limit],
    );
    const counts = new Map(rows.map(({ batch_id: id, count }) => [id, count]));
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const events = rows.flatMap(({ batch_id: _, count: __, ...row }) => (row.id === null ? [] : [row]));
    // Any further batch would have been taken as well.
    const isEmpty = total <= limit - MAX_BATCH_EVENTS;
    return { events, nextId: isEmpty ? undefined : (rows.at(-1)?.batch_id ?? fromId) };
  }

  /** Returns when the oldest event was created whose payload only the log has; undefined if there is none. */
  async findOldestBatchTime(): Promise<Date | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ created_at: Date }>(
      'SELECT created_at FROM webhook_outbox_batches ORDER BY id LIMIT 1',
    );
    return row?.created_at;
  }

  /** Deletes events of an account from the log. Returns how many. */
  async deleteLogged(accountId: string, limit: number | null = null): Promise<number> {
    // Partitions may have rows of other accounts at the same places.
    const rows = await this.unitOfWork.queryRows(
      `DELETE FROM event_log WHERE account_id = $1
          AND ctid = ANY(ARRAY(SELECT ctid FROM event_log WHERE account_id = $1 LIMIT $2)) RETURNING 1`,
      [accountId, limit],
    );
    return rows.length;
  }

  /** Most transactions have a single event, for which this statement takes half the planning time. */
  private insertOne(row: NewEventRow): Promise<unknown[]> {
    return this.unitOfWork.queryRows(
      `WITH session AS (
         UPDATE sessions SET event_position = event_position + 1 WHERE id = $7 RETURNING event_position),
       logged AS (
         INSERT INTO event_log (id, account_id, session_id, position, type, payload, logged_at)
         VALUES ($1, $2, $7::text, CASE WHEN $7::text IS NOT NULL THEN
                  coalesce((SELECT event_position FROM session), ${LAST_POSITION}) END, $3, $4, $5))
       INSERT INTO webhook_outbox_batches (id, account_id, event_ids, created_at, traceparent, webhook_ids)
       SELECT $1, $2, ARRAY[$1], $5, $6, ids
         FROM (SELECT array_agg(id) AS ids FROM webhooks
                WHERE account_id = $2 AND state <> 'disabled' AND events && ARRAY[$3, '*']) w
        WHERE ids IS NOT NULL RETURNING 1`,
      [row.id, row.accountId, row.type, row.payload, row.createdAt, row.traceparent, row.sessionId],
    );
  }

  private insertAll(rows: NewEventRow[]): Promise<unknown[]> {
    return this.unitOfWork.queryRows(
      `WITH event AS (
         SELECT id, account_id, type, payload, created_at, traceparent, session_id, n
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])
                WITH ORDINALITY AS e(id, account_id, type, payload, created_at, traceparent, session_id, n)),
       session AS (
         UPDATE sessions s SET event_position = s.event_position + e.count
           FROM (SELECT session_id, count(*) FROM event GROUP BY session_id) e
          WHERE s.id = e.session_id RETURNING s.id, s.event_position),
       logged AS (
         INSERT INTO event_log (id, account_id, session_id, position, type, payload, logged_at)
         SELECT e.id, e.account_id, e.session_id, CASE WHEN e.session_id IS NOT NULL THEN
                  coalesce(s.event_position, ${LAST_POSITION}) + 1
                    - row_number() OVER (PARTITION BY e.session_id ORDER BY n DESC) END,
                e.type, e.payload, e.created_at
           FROM event e LEFT JOIN session s ON s.id = e.session_id),
       batch AS (
         SELECT account_id, type, traceparent, array_agg(id ORDER BY n) AS event_ids, min(created_at) AS created_at
           FROM (SELECT id, account_id, type, traceparent, created_at, n,
                        (row_number() OVER (PARTITION BY account_id, type, traceparent ORDER BY n) - 1)
                          / ${MAX_BATCH_EVENTS} AS part FROM event) e
          GROUP BY account_id, type, traceparent, part)
       INSERT INTO webhook_outbox_batches (id, account_id, event_ids, created_at, traceparent, webhook_ids)
       SELECT b.event_ids[1], b.account_id, b.event_ids, b.created_at, b.traceparent, w.ids
         FROM batch b,
              LATERAL (SELECT array_agg(id) AS ids FROM webhooks
                        WHERE account_id = b.account_id AND state <> 'disabled' AND events && ARRAY[b.type, '*']) w
        WHERE w.ids IS NOT NULL RETURNING 1`,
      [
        rows.map((row) => row.id),
        rows.map((row) => row.accountId),
        rows.map((row) => row.type),
        rows.map((row) => row.payload),
        rows.map((row) => row.createdAt),
        rows.map((row) => row.traceparent),
        rows.map((row) => row.sessionId),
      ],
    );
  }
}
