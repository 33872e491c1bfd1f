import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EncryptionKey, SigningKey } from '@external-api/protocol';
import type { DeviceKind } from '../../access/auth';

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

  /** RFC 7638 thumbprint of `publicKey`, by which sign-in finds the device. */
  @Column('text')
  thumbprint!: string;

  @Column('text')
  fingerprint!: string;

  /** Compact JWS signed by the approving device; null for an account's first device. */
  @Column('text', { nullable: true })
  enrollment!: string | null;

  /** Presence as the previous release stores it. The next release drops these four columns (docs/decisions/0057). */
  @Column({ type: 'boolean', insert: false })
  online?: boolean;

  @Column({ type: 'text', nullable: true, insert: false })
  presenceInstance?: string | null;

  @Column({ type: 'bigint', insert: false })
  presenceEpoch?: string;

  @Column({ type: 'text', array: true, insert: false })
  presenceCapabilities?: string[];

  @Column('timestamptz')
  createdAt!: Date;

  /** Last sign-in or call. Connections are in `device_presence`. */
  @Column('timestamptz', { nullable: true })
  lastSeenAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  /** When a person last renamed the device. Its name is then also that of its machine. */
  @Column({ type: 'timestamptz', nullable: true, insert: false })
  renamedAt?: Date | null;
}
