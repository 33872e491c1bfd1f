import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from './domain-event';

/** Committed event that the webhook dispatcher has not processed yet. */
@Entity('webhook_outbox')
export class OutboxEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  type!: EventType;

  @Column('text')
  payload!: string;

  @Column('text', { array: true })
  webhookIds!: string[];

  /** W3C Trace Context of the request that caused the event. */
  @Column('text', { nullable: true })
  traceparent!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}
