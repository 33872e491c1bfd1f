import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientKey } from './recipient-key';

/** A data key sealed for a recipient; it stays sealed here. */
@Entity('key_grants')
export class KeyGrantEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  /** Either this or `artifactId`. */
  @Column('text', { nullable: true })
  sessionId!: string | null;

  @Column('text', { nullable: true })
  artifactId!: string | null;

  /** null: the service */
  @Column('jsonb', { nullable: true })
  recipient!: RecipientKey | null;

  /** `kid` of the key that it is sealed to, else its thumbprint. */
  @Column('text')
  recipientKeyId!: string;

  /** RFC 7638, of the key that it is sealed to. */
  @Column('text')
  recipientThumbprint!: string;

  /** Compact JWE. */
  @Column('text')
  sealedKey!: string;

  /** The one token that it is for. */
  @Column('text', { nullable: true })
  tokenId!: string | null;

  /** The one app that it is for; with neither it covers the account's personal access tokens. */
  @Column('text', { nullable: true })
  appId!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;
}
