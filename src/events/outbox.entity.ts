import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from './change';

/** An event that was committed and has not been taken for delivery yet. */
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

  /** Of the request in which it happened. */
  @Column('text', { nullable: true })
  traceparent!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}
