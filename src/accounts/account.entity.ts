import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EncryptionKey } from '../wire';
import type { AccountLimits } from './plan';

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

  /** By an operator; null: it is not. */
  @Column('timestamptz', { nullable: true })
  suspendedAt!: Date | null;

  /** Everywhere, last; null: never. */
  @Column('timestamptz', { nullable: true })
  signedOutAt!: Date | null;

  /** Its own, instead of the plan's. */
  @Column('jsonb', { default: {} })
  limits!: AccountLimits;

  @Column('timestamptz')
  createdAt!: Date;
}
