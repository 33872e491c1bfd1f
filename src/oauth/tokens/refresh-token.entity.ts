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

  /** When the next one took its place; it is kept, so that its reuse is noticed. */
  @Column('timestamptz', { nullable: true })
  rotatedAt!: Date | null;
}
