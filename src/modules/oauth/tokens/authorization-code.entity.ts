import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../../access/auth';

/** Unused authorization code. */
@Entity('oauth_codes')
export class AuthorizationCodeEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  authorizationId!: string;

  @Column('text')
  redirectUri!: string;

  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('text')
  codeChallenge!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}
