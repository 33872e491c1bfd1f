import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Secret of a token. Rotation adds a secret and supersedes this one, at once or after an overlap. */
@Entity('external_token_secrets')
export class PersonalAccessTokenSecretEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  tokenId!: string;

  /** First characters, by which people recognize the token. */
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
