import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../auth';

/** That a person lets an app act for their account; it is there as long as it stands. */
@Entity('app_authorizations')
export class AppAuthorizationEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  appId!: string;

  /** All that the person has agreed to, one consent after the other. */
  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;
}
