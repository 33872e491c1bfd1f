import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EncryptionKey } from '@external-api/protocol';
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

  /** Stored bytes. The driver returns a bigint as a string. */
  @Column('bigint', { default: 0 })
  storageBytes!: string;

  /** When an operator suspended the account; null if it is not suspended. */
  @Column('timestamptz', { nullable: true })
  suspendedAt!: Date | null;

  /** When the account was deleted; null if it is not deleted. Its records are deleted afterwards, in batches. */
  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;

  /** When device tokens with open sockets were last deleted, as by signing out everywhere; null if never. */
  @Column('timestamptz', { nullable: true })
  signedOutAt!: Date | null;

  /** Overrides of the plan's limits. */
  @Column('jsonb', { default: {} })
  limits!: AccountLimits;

  @Column('timestamptz')
  createdAt!: Date;
}
