import { Column, Entity, PrimaryColumn } from 'typeorm';

export type AppState = 'active' | 'disabled';

@Entity('developer_apps')
export class DeveloperAppEntity {
  /** The client id, `svc_oapp_…` */
  @PrimaryColumn('text')
  id!: string;

  /** Of its owner. */
  @Column('text')
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { nullable: true })
  homepageUrl!: string | null;

  @Column('text', { array: true })
  redirectUris!: string[];

  @Column('text')
  state!: AppState;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
