import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../auth';

/** A code that nobody has used yet. */
@Entity('oauth_codes')
export class OAuthCodeEntity {
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
