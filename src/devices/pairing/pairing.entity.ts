import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeviceKind } from '../../auth';
import type { EncryptionKey, SigningKey } from '../../wire';

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

  /** Where the new device asked from, for the person who approves it. */
  @Column('text')
  address!: string;

  @Column('text')
  state!: 'pending' | 'approved' | 'denied';

  /** The account that decided. */
  @Column('text', { nullable: true })
  accountId!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
