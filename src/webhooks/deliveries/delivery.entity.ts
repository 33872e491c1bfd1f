import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from '../../events';
import type { DeliveryState } from './delivery-record';

/** One event on its way to one endpoint. */
@Entity('webhook_deliveries')
export class DeliveryEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  webhookId!: string;

  /** `webhook-id` on the wire; several deliveries have it when it was replayed. */
  @Column('text')
  eventId!: string;

  @Column('text')
  type!: EventType;

  /** The body, byte for byte the same on every try. */
  @Column('text')
  payload!: string;

  /** Of the request in which the event happened, or was asked for again. */
  @Column('text', { nullable: true })
  traceparent!: string | null;

  @Column('text')
  state!: DeliveryState;

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
