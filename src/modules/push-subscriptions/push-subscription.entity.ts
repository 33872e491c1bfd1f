import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What browsers are notified of. */
export const PUSH_EVENTS = ['permission.requested', 'turn.completed', 'turn.failed'] as const;
export type PushEvent = (typeof PUSH_EVENTS)[number];

@Entity('push_subscriptions')
export class PushSubscriptionEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  /** Browser. It has at most one subscription. */
  @Column('text')
  deviceId!: string;

  /** SHA-256 of the endpoint, by which a browser is found that has changed its account. */
  @Column('bytea')
  endpointHash!: Buffer;

  /** Encrypted `PushTarget` (push-target-cipher.ts). */
  @Column('bytea')
  target!: Buffer;

  @Column('text', { array: true })
  events!: PushEvent[];

  /** Public key of the service when the browser subscribed. Push services accept no other one for it. */
  @Column('text')
  serverKey!: string;

  @Column('timestamptz')
  createdAt!: Date;
}
