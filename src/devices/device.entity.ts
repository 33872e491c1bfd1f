import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeviceKind } from '../auth';
import type { EncryptionKey, SigningKey } from '../wire';

@Entity('devices')
export class DeviceEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  kind!: DeviceKind;

  @Column('text')
  name!: string;

  @Column('text')
  platform!: string;

  @Column('jsonb')
  publicKey!: SigningKey;

  @Column('jsonb')
  encryptionKey!: EncryptionKey;

  /** RFC 7638, of `publicKey`: how a device is found when it signs in. */
  @Column('text')
  thumbprint!: string;

  @Column('text')
  fingerprint!: string;

  /** The compact JWS that its approver signed; null for an account's first device. */
  @Column('text', { nullable: true })
  enrollment!: string | null;

  @Column('boolean')
  online!: boolean;

  /** Of the process that holds its connection, or held its last one; written by presence alone, like the next two. */
  @Column({ type: 'text', nullable: true, insert: false })
  presenceInstance?: string | null;

  @Column({ type: 'bigint', insert: false })
  presenceEpoch?: string;

  @Column({ type: 'text', array: true, insert: false })
  presenceCapabilities?: string[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastSeenAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
