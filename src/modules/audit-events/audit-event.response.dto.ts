import { ApiProperty } from '@nestjs/swagger';
import {
  AUDIT_ACT_NAMES,
  AUDIT_ACTOR_KINDS,
  AUDIT_TARGET_KINDS,
  type AuditActName,
  type AuditActorKind,
  type AuditEventRow,
  type AuditTargetKind,
} from '../../access/audit';
import { IdField, IdSelectionField, ObjectTypeField, UnixTimeField } from '../../common/http';

/** A row with the present names of its actor and target, null if they were deleted or have none. */
export type NamedAuditEventRow = AuditEventRow & {
  actor_name: string | null;
  target_name: string | null;
  /** Machines that a target token is limited to, which never change. */
  target_machine_ids: string[] | null;
};

/** Caller of an act. */
export class AuditActorDto {
  /** `browser` is an account device that called from the console; `service` is the service itself. */
  @ApiProperty({ type: String, enum: AUDIT_ACTOR_KINDS, example: 'browser' })
  kind!: AuditActorKind;

  /** Id of the device or token, or client id of the app. Null for operators and the service. */
  @ApiProperty({ type: String, nullable: true, example: 'dev_01m7xsah51f6ctt8c84t8wbh7e' })
  id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Firefox on Linux' })
  name!: string | null;
}

/** Record that an act concerns. */
export class AuditTargetDto {
  @ApiProperty({ type: String, enum: AUDIT_TARGET_KINDS, example: 'token' })
  kind!: AuditTargetKind;

  @ApiProperty({ type: String, nullable: true, example: 'tok_01m7xsah51f6ctt8c84t8wbh7e' })
  id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ci' })
  name!: string | null;

  /** Machines that a token is limited to; null for all machines and for other targets. */
  @IdSelectionField('mch')
  machineIds!: string[] | null;
}

/** Security-relevant act in the account (docs/protocol/device-api.md#audit-events). */
export class AuditEventDto {
  @IdField('aud')
  id!: string;

  @ObjectTypeField('audit_event')
  object!: 'audit_event';

  @ApiProperty({ type: String, enum: AUDIT_ACT_NAMES, example: 'token.created' })
  act!: AuditActName;

  @ApiProperty({ type: () => AuditActorDto })
  actor!: AuditActorDto;

  @ApiProperty({ type: () => AuditTargetDto })
  target!: AuditTargetDto;

  /** Reason that an operator gave. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason!: string | null;

  /** Client address of the call; null for acts of operators and of the service. */
  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  address!: string | null;

  /** First 200 characters of the `User-Agent` header. */
  @ApiProperty({ type: String, nullable: true, example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/146.0' })
  userAgent!: string | null;

  @UnixTimeField()
  createdAt!: number;
}

/** The name of an operator is not shown to the account's owner. */
export function toAuditEventDto(row: NamedAuditEventRow): AuditEventDto {
  return {
    id: row.id,
    object: 'audit_event',
    act: row.act,
    actor: { kind: row.actor_kind, id: row.actor_kind === 'operator' ? null : row.actor_id, name: row.actor_name },
    target: {
      kind: row.target_kind,
      id: row.target_id,
      name: row.target_name,
      machineIds: row.target_machine_ids,
    },
    reason: row.reason,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at.getTime(),
  };
}
