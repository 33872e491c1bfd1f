import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EncryptionKey } from '../wire';

@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  username!: string;

  @Column('jsonb')
  contentPublicKey!: EncryptionKey;

  @Column('integer')
  contentKeyVersion!: number;

  /** Bytes of ciphertext that the account keeps; a bigint, so the driver gives it as text. */
  @Column('bigint', { default: 0 })
  storageBytes!: string;

  @Column('timestamptz')
  createdAt!: Date;
}
