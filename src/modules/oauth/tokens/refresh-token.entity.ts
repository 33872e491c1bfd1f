import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('oauth_refresh_tokens')
export class RefreshTokenEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  familyId!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  /** Time of replacement by the next token. Rotated tokens are retained to detect reuse. */
  @Column('timestamptz', { nullable: true })
  rotatedAt!: Date | null;
}
