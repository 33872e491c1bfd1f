import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  /** SHA-256 over credential, method, path and the key's own hash. */
  @PrimaryColumn('bytea')
  id!: Buffer;

  @Column('text')
  accountId!: string;

  /** HMAC of the request under the key, so that it tells nothing without the key. */
  @Column('bytea')
  requestHash!: Buffer;

  /** The request id of the first call. */
  @Column('text')
  callId!: string;

  /** The process that runs the first call. */
  @Column('text')
  origin!: string;

  /** Null while the first call runs. */
  @Column('integer', { nullable: true })
  status!: number | null;

  @Column('bytea', { nullable: true })
  answer!: Buffer | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
