import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Delivery queue of one endpoint. Only the instance that leases it sends its deliveries. */
@Entity('webhook_endpoint_queues')
export class EndpointQueueEntity {
  @PrimaryColumn('text')
  webhookId!: string;

  /** Counts the updates, so that the current row is found without the older ones. The driver returns it as text. */
  @PrimaryColumn('bigint')
  version!: string;

  /** When the next delivery is due. Null when none is pending or the webhook is not active. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** Id of the instance that leases the queue. */
  @Column('text', { nullable: true })
  owner!: string | null;

  /**
   * Fencing token: counts the leases. Results of an earlier lease are rejected. The driver returns a bigint as text.
   */
  @Column('bigint')
  lease!: string;

  /** Lease expiry, by the database clock. */
  @Column('timestamptz', { nullable: true })
  leasedUntil!: Date | null;

  /** Consecutive failed attempts. */
  @Column('integer')
  failures!: number;

  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  /** When the next probe may be sent. Set while the circuit breaker is open. */
  @Column('timestamptz', { nullable: true })
  probeAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastDeliveryAt!: Date | null;

  @Column('integer', { nullable: true })
  lastDeliveryStatus!: number | null;

  /** Number of events in the backlog of the webhook. Those whose retention ended may still be counted. */
  @Column('integer', { default: 0 })
  backlogEvents!: number;

  /** When the next deliveries are created from the backlog. Null without a backlog. */
  @Column('timestamptz', { nullable: true })
  backlogDueAt!: Date | null;
}
