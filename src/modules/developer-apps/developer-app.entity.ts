import { Column, Entity, PrimaryColumn } from 'typeorm';

export type DeveloperAppState = 'active' | 'disabled';

@Entity('developer_apps')
export class DeveloperAppEntity {
  /** Client id, `svc_oapp_…`. */
  @PrimaryColumn('text')
  id!: string;

  /** Account of the owner. */
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
  state!: DeveloperAppState;

  /** When an operator suspended the app; null if it is not suspended. */
  @Column('timestamptz', { nullable: true })
  suspendedAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
