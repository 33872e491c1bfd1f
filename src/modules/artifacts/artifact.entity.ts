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

  /** Data key sealed to the account's content key, as a compact JWE. */
  @Column('text')
  sealedDataKey!: string;

  /** Compact JWE under the data key, bound to `version`. */
  @Column('text')
  content!: string;

  /** Counts replacements of the content, from 1. */
  @Column('integer')
  version!: number;

  @Column('integer')
  sizeBytes!: number;

  /** Bytes charged for the row in addition to its content; 0 if not yet counted. */
  @Column('integer')
  ownBytes!: number;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
