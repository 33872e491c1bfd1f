import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('artifacts')
export class ArtifactEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text', { nullable: true })
  sessionId!: string | null;

  @Column('text', { nullable: true })
  hostDeviceId!: string | null;

  @Column('text')
  tag!: string;

  @Column('text')
  mediaType!: string;

  @Column('text')
  dataKeyId!: string;

  /** Compact JWE: the data key, sealed to the account's content key. */
  @Column('text')
  sealedDataKey!: string;

  /** Compact JWE under the data key, bound to `version`. */
  @Column('text')
  content!: string;

  /** From 1. */
  @Column('integer')
  version!: number;

  @Column('integer')
  sizeBytes!: number;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
