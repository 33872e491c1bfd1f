import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  /** SHA-256 of the credential, the method, the path and the hash of the key. */
  @PrimaryColumn('bytea')
  id!: Buffer;

  @Column('text')
  accountId!: string;

  /** HMAC of the request with the key, so that it reveals nothing without the key. */
  @Column('bytea')
  requestHash!: Buffer;

  /** Request id of the first call. */
  @Column('text')
  callId!: string;

  /** Instance that runs the first call. */
  @Column('text')
  origin!: string;

  /** Null while the first call runs. */
  @Column('integer', { nullable: true })
  status!: number | null;

  /** Encrypted response. Null while the first call runs, or if the account had reached its storage limit. */
  @Column('bytea', { nullable: true })
  answer!: Buffer | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
