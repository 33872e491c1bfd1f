import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../../access/auth';

/** Authorization request that awaits the user's decision. */
@Entity('oauth_requests')
export class OAuthRequestEntity {
  /** SHA-256 of the request id, which is part of the consent page's URL. */
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  appId!: string;

  @Column('text')
  redirectUri!: string;

  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('bytea', { nullable: true })
  state!: Buffer | null;

  @Column('text')
  codeChallenge!: string;

  /** Browser login that first opened the request. */
  @Column('text', { nullable: true })
  session!: string | null;

  /** SHA-256 of the ticket of the only form that may decide the request. */
  @Column('bytea', { nullable: true })
  ticketHash!: Buffer | null;

  /** Account to which that form was shown. */
  @Column('text', { nullable: true })
  ticketAccountId!: string | null;

  @Column('timestamptz')
  expiresAt!: Date;
}
