import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The way to one endpoint: whoever leases it sends there, and nobody else. */
@Entity('webhook_lanes')
export class LaneEntity {
  @PrimaryColumn('text')
  webhookId!: string;

  /** When there is something to do next; null: nothing is, or it is not active. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** The instance that holds it. */
  @Column('text', { nullable: true })
  owner!: string | null;

  /** Counts its leases; a finish under an earlier one comes too late. A bigint, so the driver gives it as text. */
  @Column('bigint')
  lease!: string;

  /** By the database's clock. */
  @Column('timestamptz', { nullable: true })
  leasedUntil!: Date | null;

  /** Failed tries in a row. */
  @Column('integer')
  failures!: number;

  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  /** While the breaker is open: when one try may be made. */
  @Column('timestamptz', { nullable: true })
  probeAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastDeliveryAt!: Date | null;

  @Column('integer', { nullable: true })
  lastDeliveryStatus!: number | null;
}
