import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientKeyDto } from './recipient-key';

/** Data key sealed to a recipient. It is stored sealed. */
@Entity('key_grants')
export class KeyGrantEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  /** Session of the grant. Either this or `artifactId` is set. */
  @Column('text', { nullable: true })
  sessionId!: string | null;

  @Column('text', { nullable: true })
  artifactId!: string | null;

  /** Public key of the recipient; null for the service. */
  @Column('jsonb', { nullable: true })
  recipient!: RecipientKeyDto | null;

  /** `kid` of the recipient's key, else its thumbprint. */
  @Column('text')
  recipientKeyId!: string;

  /** RFC 7638 thumbprint of the recipient's key. */
  @Column('text')
  recipientThumbprint!: string;

  /** Data key sealed to the recipient, as a compact JWE. */
  @Column('text')
  sealedKey!: string;

  /** Token that the grant is limited to. */
  @Column('text', { nullable: true })
  tokenId!: string | null;

  /** App that the grant is limited to. Without token and app it covers all personal access tokens of the account. */
  @Column('text', { nullable: true })
  appId!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;
}
