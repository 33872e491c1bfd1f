import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../../access/auth';

@Entity('oauth_access_tokens')
export class AccessTokenEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  familyId!: string;

  /** Scopes of the family, or fewer when a refresh requested fewer. */
  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  /** Revocation of this token alone. A revoked family revokes all its tokens. */
  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
