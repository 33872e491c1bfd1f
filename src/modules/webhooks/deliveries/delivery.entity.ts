import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from '../../../core/events';
import type { WebhookDeliveryState } from './delivery.response.dto';

/** Delivery of one event to one endpoint. */
@Entity('webhook_deliveries')
export class DeliveryEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  webhookId!: string;

  /** Sent as `webhook-id`. Replays of an event share it. */
  @Column('text')
  eventId!: string;

  @Column('text')
  type!: EventType;

  /** Request body, identical byte for byte on every attempt. */
  @Column('text')
  payload!: string;

  /** W3C Trace Context of the request that caused or replayed the event. */
  @Column('text', { nullable: true })
  traceparent!: string | null;

  @Column('text')
  state!: WebhookDeliveryState;

  @Column('integer')
  attempts!: number;

  @Column('integer', { nullable: true })
  lastStatus!: number | null;

  @Column('timestamptz', { nullable: true })
  nextAttemptAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
