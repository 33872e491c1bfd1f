import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EncryptionKey, SigningKey } from '@external-api/protocol';
import type { DeviceKind } from '../../../access/auth';

@Entity('pairings')
export class PairingEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  code!: string;

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

  @Column('text')
  thumbprint!: string;

  @Column('text')
  fingerprint!: string;

  /** Client address of the new device, shown to the approver. */
  @Column('text')
  address!: string;

  @Column('text')
  state!: 'pending' | 'approved' | 'denied';

  /** Account that approved or denied the pairing. */
  @Column('text', { nullable: true })
  accountId!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
