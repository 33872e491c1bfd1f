import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../auth';

/** An authorization request that waits for a person's word. */
@Entity('oauth_requests')
export class OAuthRequestEntity {
  /** SHA-256 of its id, which stands in the address of the page that asks. */
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

  /** The browser session that opened it first. */
  @Column('text', { nullable: true })
  session!: string | null;

  /** SHA-256 of the id of the one form that may decide it. */
  @Column('bytea', { nullable: true })
  ticketHash!: Buffer | null;

  /** To whom that form was shown. */
  @Column('text', { nullable: true })
  ticketAccountId!: string | null;

  @Column('timestamptz')
  expiresAt!: Date;
}
