import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeliveryError } from '../sending/exchange';

/** One try of a delivery. The table's partitions are days (attempt-partitions.ts). */
@Entity('webhook_attempts')
export class AttemptEntity {
  @PrimaryColumn('text')
  webhookId!: string;

  @PrimaryColumn('text')
  deliveryId!: string;

  /** From 1. */
  @PrimaryColumn('integer')
  attempt!: number;

  @PrimaryColumn('timestamptz')
  at!: Date;

  @Column('integer', { nullable: true })
  status!: number | null;

  @Column('integer')
  durationMs!: number;

  @Column('text', { nullable: true })
  error!: DeliveryError | null;

  /** The first 4 KiB of the answer. */
  @Column('text', { nullable: true })
  response!: string | null;
}
