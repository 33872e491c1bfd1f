import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One secret of an app: up to three live at a time, so that they can be exchanged without an outage. */
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
