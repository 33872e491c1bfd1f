import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../auth';

/** All tokens that came from one code: what one sign-in with an app lives on. */
@Entity('oauth_token_families')
export class TokenFamilyEntity {
  /** `tok_…`: names the sign-in in `/me`, usage and the relay's audit, whichever token is its current one. */
  @PrimaryColumn('text')
  id!: string;

  /** Null when that has ended: then all its tokens are revoked. */
  @Column('text', { nullable: true })
  authorizationId!: string | null;

  @Column('bytea')
  codeHash!: Buffer;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** No refresh beyond it. */
  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
