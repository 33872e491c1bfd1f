import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../../access/auth';

/** Authorization of an app to act for an account. Revocation deletes the row. */
@Entity('app_authorizations')
export class AppAuthorizationEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  appId!: string;

  /** Scopes of all consents of the person. */
  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;
}
