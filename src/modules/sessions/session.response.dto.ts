import { ApiProperty } from '@nestjs/swagger';
import type { SessionContext } from '@external-api/protocol';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import { DataKeyDto } from './data-key.dto';
import type { SESSION_DEVICE_PROPERTIES, SessionActivity, SessionAgent, SessionEntity } from './session.entity';
import { EventData } from '../../core/events';

/** A row of `sessions`. */
export type SessionRow = RowOf<SessionEntity>;

/** A row of a list of the External API. */
export type SessionListRow = RowOf<Omit<SessionEntity, (typeof SESSION_DEVICE_PROPERTIES)[number]>>;

/** Agent that works in a session. */
export class SessionAgentDto implements SessionAgent {
  /** @example opencode */
  name!: string;

  /** @example OpenCode */
  title!: string;

  /**
   * Mode of the agent; null if it has none.
   * @example build
   */
  mode!: string | null;
}

/** How full the context of the agent's model is, in tokens. */
export class SessionContextDto implements SessionContext {
  @CountField(48_200)
  used!: number;

  /** Most tokens that fit. */
  @CountField(200_000)
  size!: number;
}

/** Session as returned by the External API (docs/protocol/external-api.md#records). */
@EventData()
export class SessionDto {
  @IdField('ses')
  id!: string;

  @ObjectTypeField('session')
  object!: 'session';

  /**
   * State of the session. Messages can only be sent to active sessions.
   * @example active
   */
  state!: 'active' | 'ended';

  /**
   * What the session's agent does, from its open turns.
   * @example idle
   */
  @ApiProperty({ enum: ['running', 'idle', 'requires_action'] satisfies SessionActivity[] })
  activity!: SessionActivity;

  /** Agent that works in the session, if declared. */
  @ApiProperty({ type: SessionAgentDto, nullable: true })
  agent!: SessionAgentDto | null;

  /** How full the context of the agent's model was after the last turn; null if the agent doesn't say. */
  @ApiProperty({ type: SessionContextDto, nullable: true })
  context!: SessionContextDto | null;

  /**
   * Name given by its device, unique within the account.
   * @example refactor-billing
   */
  tag!: string;

  /** Machine that the session runs on, if declared. */
  @IdField('mch')
  machineId!: string | null;

  @CountField(12)
  messageCount!: number;

  /** `seq` of the newest message; 0 if there is none. */
  @CountField(12)
  lastSeq!: number;

  /**
   * Whether a key grant currently allows this caller to read the content.
   * @example false
   */
  contentGranted!: boolean;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  updatedAt!: number;

  @UnixTimeField()
  lastActiveAt!: number;

  @UnixTimeField(null)
  endedAt!: number | null;
}

/** Session with the fields that only the account's devices see (docs/protocol/device-api.md#reading-back). */
export class DeviceSessionDto extends SessionDto {
  /** Version of `metadata`, from 1. */
  @CountField(1, 1)
  version!: number;

  /** Compact JWE; null if the device stored none. */
  @ApiProperty({ type: String, nullable: true, example: null })
  metadata!: string | null;

  dataKey!: DataKeyDto;

  /** Device that created the session. */
  @IdField('dev')
  hostDeviceId!: string | null;
}

export function toSessionDto(row: SessionListRow, contentGranted: boolean): SessionDto {
  return {
    id: row.id,
    object: 'session',
    state: row.state,
    activity: row.activity,
    agent: row.agent && { name: row.agent.name, title: row.agent.title, mode: row.agent.mode },
    context: row.context && { used: row.context.used, size: row.context.size },
    tag: row.tag,
    machineId: row.machine_id,
    messageCount: row.message_count,
    lastSeq: row.last_seq,
    contentGranted,
    createdAt: row.created_at.getTime(),
    // Appends write `updated_at` at most once a minute.
    updatedAt: Math.max(row.updated_at.getTime(), row.last_active_at.getTime()),
    lastActiveAt: row.last_active_at.getTime(),
    endedAt: row.ended_at?.getTime() ?? null,
  };
}

/** `contentGranted` is always false here: devices have the account's keys and need no grant. */
export function toDeviceSessionDto(row: SessionRow): DeviceSessionDto {
  return {
    ...toSessionDto(row, false),
    version: row.version,
    metadata: row.metadata,
    dataKey: { kid: row.data_key_id, sealed: row.sealed_data_key },
    hostDeviceId: row.host_device_id,
  };
}
