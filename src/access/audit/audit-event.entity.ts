import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RowOf } from '../../core/database';
import type { AuditActName, AuditActorKind, AuditTargetKind } from './audit-acts';

/** A row of `audit_events`. */
export type AuditEventRow = RowOf<AuditEventEntity>;

/** One act: ids, never secrets or content. */
@Entity('audit_events')
export class AuditEventEntity {
  @PrimaryColumn('text')
  id!: string;

  /** Null for acts that concern no account, or one that the act deleted. */
  @Column('text', { nullable: true })
  accountId!: string | null;

  @Column('text')
  act!: AuditActName;

  @Column('text')
  actorKind!: AuditActorKind;

  /** Id of the device or token, client id of the app, or name of the operator; null for the service. */
  @Column('text', { nullable: true })
  actorId!: string | null;

  @Column('text')
  targetKind!: AuditTargetKind;

  @Column('text', { nullable: true })
  targetId!: string | null;

  /** Reason that an operator gave. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { nullable: true })
  userAgent!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}
