import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../auth';

@Entity('oauth_access_tokens')
export class AccessTokenEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  familyId!: string;

  /** The family's, or fewer where a refresh asked for fewer. */
  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  /** By itself; a family that is revoked takes all its tokens along. */
  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
