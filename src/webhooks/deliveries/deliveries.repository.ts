import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids';
import type { Page } from '../../common/pages';
import type { EventType } from '../../events';
import { byCreation, KeysetPager, UnitOfWork, type Bind, type Filters } from '../../persistence';
import type { DeliveryRow } from './delivery-record';
import type { DeliveryQuery } from './deliveries.dto';

const LOGGED = `d.id, d.webhook_id, d.event_id, d.type, d.state, d.attempts, d.last_status, d.next_attempt_at,
  d.created_at, d.finished_at`;

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

/** A delivery that may be sent again. */
export interface ReplayableRow {
  event_id: string;
  type: EventType;
  payload: string;
}

/** What every try of a delivery sends. */
export interface SentRow extends ReplayableRow {
  traceparent: string | null;
}

/** One that failed, with its place in the order of making. */
export interface FailedRow extends ReplayableRow {
  id: string;
  created_at: Date;
}

/** From here, and not from then on; the id of the last one seen, empty before the first. */
export interface Span {
  from: Date;
  afterId: string;
  until: Date;
}

@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  async insert(deliveries: readonly NewDelivery[]): Promise<void> {
    await this.unitOfWork.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, next_attempt_at, created_at, traceparent)
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

  async find(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    if (!isId('dlv', id)) return undefined;
    const [row] = await this.unitOfWork.query<DeliveryRow>(
      `SELECT ${LOGGED} FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.id = $2`,
      [webhookId, id],
    );
    return row;
  }

  async findSent(webhookId: string, id: string): Promise<SentRow | undefined> {
    if (!isId('dlv', id)) return undefined;
    const [row] = await this.unitOfWork.query<SentRow>(
      'SELECT event_id, type, payload, traceparent FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2',
      [webhookId, id],
    );
    return row;
  }

  /** Events of which the last delivery was made in this span and failed, oldest first. */
  failed(webhookId: string, { from, afterId, until }: Span, limit: number): Promise<FailedRow[]> {
    return this.unitOfWork.query<FailedRow>(
      `SELECT d.id, d.created_at, d.event_id, d.type, d.payload FROM webhook_deliveries d
        WHERE d.webhook_id = $1 AND d.state = 'failed' AND (d.created_at, d.id) > ($2, $3) AND d.created_at < $4
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries o
                           WHERE o.webhook_id = d.webhook_id AND o.event_id = d.event_id AND o.id > d.id)
        ORDER BY d.created_at, d.id LIMIT $5`,
      [webhookId, from, afterId, until, limit],
    );
  }

  page(webhookId: string, query: DeliveryQuery): Promise<Page<DeliveryRow>> {
    return this.pager.page<DeliveryRow>(
      {
        name: 'deliveries',
        owner: webhookId,
        select: `SELECT ${LOGGED} FROM webhook_deliveries d`,
        key: byCreation('d'),
        where: (filters, bind) => [`d.webhook_id = ${bind(webhookId)}`, ...conditions(filters, bind)],
      },
      query,
    );
  }
}

function conditions(filters: Filters, bind: Bind): string[] {
  const all: Record<string, (value: string | number) => string> = {
    state: (value) => `d.state = ${bind(value)}`,
    type: (value) => `d.type = ${bind(value)}`,
    since: (value) => `d.created_at >= ${bind(new Date(value))}::timestamptz`,
    until: (value) => `d.created_at < ${bind(new Date(value))}::timestamptz`,
  };
  return Object.entries(filters).map(([name, value]) => all[name]!(value));
}
