import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../access/auth';

@Entity('external_tokens')
export class PersonalAccessTokenEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** Machines that the token is limited to, set at creation; null for all. */
  @Column('text', { array: true, nullable: true })
  machineIds!: string[] | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  /** When the next expiry notice is due. */
  @Column('timestamptz', { nullable: true })
  expiryNoticeAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;

  /** Client address of the last recorded use. */
  @Column('text', { nullable: true })
  lastUsedAddress!: string | null;
}
