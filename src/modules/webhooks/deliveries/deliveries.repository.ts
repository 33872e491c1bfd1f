import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../../common/ids';
import type { Page } from '../../../common/pages';
import type { EventType } from '../../../core/events';
import {
  creationOrderKey,
  KeysetPageReader,
  UnitOfWork,
  type FilterConditions,
  type KeysetKey,
} from '../../../core/database';
import type { DeliveryRow, WebhookDeliveryState } from './delivery.response.dto';
import type { ListDeliveriesQueryDto } from './deliveries.dto';

export const DELIVERY_COLUMNS = `d.id, d.webhook_id, d.event_id, d.type, d.state, d.attempts, d.last_status,
  d.next_attempt_at, d.created_at, d.finished_at`;

/** Latest failed delivery of each event, which a replay sends again. */
export const REPLAYABLE = `d.state = 'failed' AND NOT EXISTS (
  SELECT 1 FROM webhook_deliveries o WHERE o.webhook_id = d.webhook_id AND o.event_id = d.event_id AND o.id > d.id)`;

/** Order of creation by id alone. */
const ID_ORDER_KEY: KeysetKey<DeliveryRow> = { columns: [['d.id', 'text']], getValues: ({ id }) => [id] };

export interface NewDelivery {
  id: string;
  webhookId: string;
  eventId: string;
  type: EventType;
  payload: string;
  traceparent: string | null;
  nextAttemptAt: Date;
  createdAt: Date;
}

/** Event content of a delivery that can be replayed. */
export interface ReplayableDeliveryRow {
  event_id: string;
  type: EventType;
  payload: string;
}

/** Content that every attempt of a delivery sends. */
export interface DeliveryContentRow extends ReplayableDeliveryRow {
  traceparent: string | null;
}

/** Failed delivery with its position in creation order. */
export interface FailedDeliveryRow extends ReplayableDeliveryRow {
  id: string;
  created_at: Date;
}

/**
 * Time range of a replay: `from` is inclusive, `until` is exclusive. `afterId` is the last id that was read, empty at
 * first.
 */
export interface ReplayWindow {
  from: Date;
  afterId: string;
  until: Date;
}

@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  async insert(deliveries: readonly NewDelivery[]): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO webhook_deliveries
         (id, webhook_id, event_id, type, payload, next_attempt_at, created_at, traceparent)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
                            $7::timestamptz[], $8::text[])`,
      [
        deliveries.map((delivery) => delivery.id),
        deliveries.map((delivery) => delivery.webhookId),
        deliveries.map((delivery) => delivery.eventId),
        deliveries.map((delivery) => delivery.type),
        deliveries.map((delivery) => delivery.payload),
        deliveries.map((delivery) => delivery.nextAttemptAt),
        deliveries.map((delivery) => delivery.createdAt),
        deliveries.map((delivery) => delivery.traceparent),
      ],
    );
  }

  /**
   * Returns those of the events that are neither in a delivery of the webhook nor in its backlog, in their order.
   * PostgreSQL expects few events, and would compare each with each of the backlog; EXCEPT reads both once.
   */
  async findUndelivered(webhookId: string, eventIds: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM unnest($2::text[]) AS i(id)
       EXCEPT
       SELECT event_id FROM webhook_deliveries WHERE webhook_id = $1 AND event_id = ANY($2::text[])
       EXCEPT
       SELECT coalesce(b.event_ids[position + 1], b.events::jsonb -> position::integer ->> 'id')
         FROM webhook_backlog_entries e JOIN webhook_backlog_batches b ON b.id = e.batch_id,
              unnest(e.positions) AS position
        WHERE e.webhook_id = $1
        ORDER BY id`,
      [webhookId, eventIds],
    );
    return rows.map(({ id }) => id);
  }

  async find(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    if (!isWellFormedId('dlv', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.id = $2`,
      [webhookId, id],
    );
    return row;
  }

  /** Returns the bodies of some deliveries of the webhook. */
  findPayloads(webhookId: string, ids: readonly string[]): Promise<{ id: string; payload: string }[]> {
    return this.unitOfWork.queryRows(
      'SELECT id, payload FROM webhook_deliveries WHERE webhook_id = $1 AND id = ANY($2)',
      [webhookId, ids],
    );
  }

  async findContent(webhookId: string, id: string): Promise<DeliveryContentRow | undefined> {
    if (!isWellFormedId('dlv', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<DeliveryContentRow>(
      'SELECT event_id, type, payload, traceparent FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2',
      [webhookId, id],
    );
    return row;
  }

  /** Returns failed deliveries created in the window, oldest first. Excludes events that have a newer delivery. */
  findFailed(webhookId: string, { from, afterId, until }: ReplayWindow, limit: number): Promise<FailedDeliveryRow[]> {
    return this.unitOfWork.queryRows<FailedDeliveryRow>(
      `SELECT d.id, d.created_at, d.event_id, d.type, d.payload FROM webhook_deliveries d
        WHERE d.webhook_id = $1 AND ${REPLAYABLE} AND (d.created_at, d.id) > ($2, $3) AND d.created_at < $4
        ORDER BY d.created_at, d.id LIMIT $5`,
      [webhookId, from, afterId, until, limit],
    );
  }

  findPage(webhookId: string, query: ListDeliveriesQueryDto): Promise<Page<DeliveryRow>> {
    return this.pager.readPage<DeliveryRow>(
      {
        name: 'deliveries',
        ownerId: webhookId,
        select: `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d`,
        // One event's deliveries are in the order of their IDs, which is the order of the index that finds them.
        key: (filters) => (filters.eventId === undefined ? creationOrderKey('d') : ID_ORDER_KEY),
        where: (_, bind) => [`d.webhook_id = ${bind(webhookId)}`],
        filterConditions: FILTER_CONDITIONS,
      },
      query,
    );
  }
}

/** With literals, since the planner must see which states a partial index contains. */
const STATE_CONDITIONS: Record<WebhookDeliveryState, string> = {
  pending: `d.state = 'pending'`,
  delivered: `d.state = 'delivered'`,
  failed: `d.state = 'failed'`,
  cancelled: `d.state = 'cancelled'`,
};

const FILTER_CONDITIONS: FilterConditions = {
  state: (value) => STATE_CONDITIONS[value as WebhookDeliveryState],
  eventId: (value, bind) => `d.event_id = ${bind(value)}`,
  type: (value, bind) => `d.type = ${bind(value)}`,
  since: (value, bind) => `d.created_at >= ${bind(new Date(value))}::timestamptz`,
  until: (value, bind) => `d.created_at < ${bind(new Date(value))}::timestamptz`,
};
