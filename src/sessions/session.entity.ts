import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  tag!: string;

  @Column('text')
  state!: 'active' | 'ended';

  @Column('text', { nullable: true })
  hostDeviceId!: string | null;

  @Column('text', { nullable: true })
  machineId!: string | null;

  @Column('text')
  dataKeyId!: string;

  /** Compact JWE: the data key, sealed to the account's content key. */
  @Column('text')
  sealedDataKey!: string;

  /** Compact JWE under the data key, bound to `version`. */
  @Column('text', { nullable: true })
  metadata!: string | null;

  /** Of the metadata, from 1. */
  @Column('integer')
  version!: number;

  @Column('integer')
  messageCount!: number;

  @Column('integer')
  lastSeq!: number;

  /** Bytes of its messages' ciphertext; a bigint, so the driver gives it as text. */
  @Column('bigint')
  messageBytes!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  @Column('timestamptz')
  lastActiveAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
