import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One secret of a token. Rotation adds the next and supersedes this one, at once or after an overlap. */
@Entity('external_token_secrets')
export class ExternalTokenSecretEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  tokenId!: string;

  /** The first characters, for people to recognise it. */
  @Column('text')
  prefix!: string;

  @Column('text')
  last4!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('boolean')
  superseded!: boolean;

  /** When a superseded secret stops working. */
  @Column('timestamptz', { nullable: true })
  endsAt!: Date | null;
}
