import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoggedHeaders, DeliveryError } from '../../webhook-sending';

/** Attempt of a delivery. The table has daily partitions (attempt-partition.service.ts). */
@Entity('webhook_attempts')
export class AttemptEntity {
  @PrimaryColumn('text')
  webhookId!: string;

  @PrimaryColumn('text')
  deliveryId!: string;

  /** Counts from 1. */
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

  /** First 4 KiB of the response body. */
  @Column('text', { nullable: true })
  response!: string | null;

  /** Headers of the response, without secrets. Null without a response. */
  @Column('jsonb', { nullable: true })
  responseHeaders!: LoggedHeaders | null;
}
