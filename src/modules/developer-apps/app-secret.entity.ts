import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Secret of an app. Up to three are active at a time, so that they can be rotated without an outage. */
@Entity('developer_app_secrets')
export class AppSecretEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  appId!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('text')
  last4!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;
}
