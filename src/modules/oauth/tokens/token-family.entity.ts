import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../../access/auth';

/** All tokens issued from one authorization code, that is, one sign-in with an app. */
@Entity('oauth_token_families')
export class TokenFamilyEntity {
  /** Id (`tok_…`) of the sign-in in `/me`, usage and the relay audit log. It doesn't change when tokens rotate. */
  @PrimaryColumn('text')
  id!: string;

  /** Null when the authorization was revoked. All tokens of the family are then revoked. */
  @Column('text', { nullable: true })
  authorizationId!: string | null;

  @Column('bytea')
  codeHash!: Buffer;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** No refresh is possible after this time. */
  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
