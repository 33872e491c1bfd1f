import { ApiProperty } from '@nestjs/swagger';
import {
  computeRequestId,
  CURRENCY_PATTERN,
  STOP_REASONS,
  TURN_ERROR_CODES,
  TURN_ORIGINS,
  TURN_STATES,
  type StopReason,
  type TurnCost,
  type TurnErrorCode,
  type TurnOrigin,
  type TurnState,
  type TurnUsage,
} from '@external-api/protocol';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { TurnEntity } from './turn.entity';
import { EventData } from '../../core/events';

/** A row of `turns`. */
export type TurnRow = RowOf<TurnEntity>;

/** Tokens that the agent used in the turn, as it counts them. */
export class TurnUsageDto implements TurnUsage {
  @CountField(5120)
  inputTokens!: number;

  @CountField(860)
  outputTokens!: number;

  /** May contain tokens that the agent counts apart, such as those of a cache. */
  @CountField(9320)
  totalTokens!: number;

  /** Input that the model read from a cache; null if the agent doesn't say. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, example: 3340 })
  cachedInputTokens!: number | null;
}

/** What the turn cost, as the agent estimates it. */
export class TurnCostDto implements TurnCost {
  @ApiProperty({ type: 'number', format: 'double', minimum: 0, example: 0.0425 })
  amount!: number;

  /** Code of ISO 4217. */
  @ApiProperty({ type: String, pattern: CURRENCY_PATTERN.source, example: 'USD' })
  currency!: string;
}

/** Turn as returned by both APIs (docs/protocol/agents.md#turns). */
@EventData()
export class TurnDto {
  @IdField('turn')
  id!: string;

  @ObjectTypeField('turn')
  object!: 'turn';

  @IdField('ses')
  sessionId!: string;

  /** What began the turn: a message, or the agent by itself. */
  @ApiProperty({ type: String, enum: TURN_ORIGINS, example: 'message' })
  origin!: TurnOrigin;

  /** Relayed call that began the turn; null if the agent did. */
  @ApiProperty({ type: String, nullable: true, example: 'req_01m7xsah51f6ctt8c84t8wbh7e' })
  requestId!: string | null;

  /** Device that runs the turn. Cancellations and decisions go to it alone. */
  @IdField('dev')
  deviceId!: string;

  /** Number of changes, from 1. */
  @CountField(4, 1)
  version!: number;

  @ApiProperty({ type: String, enum: TURN_STATES, example: 'completed' })
  state!: TurnState;

  /** Why the agent stopped, if it did. */
  @ApiProperty({ type: String, nullable: true, enum: STOP_REASONS, example: 'end_turn' })
  stopReason!: StopReason | null;

  /** Why the turn failed, if it did. */
  @ApiProperty({ type: String, nullable: true, enum: TURN_ERROR_CODES, example: null })
  errorCode!: TurnErrorCode | null;

  /** Lowest `seq` of the turn's messages. Messages of other turns may lie between. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 11 })
  firstSeq!: number | null;

  /** Highest `seq` of the turn's messages. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, example: 14 })
  lastSeq!: number | null;

  /** Permission requests that wait for a decision. */
  @CountField(0)
  pendingPermissions!: number;

  /** Tokens that the agent used; null if it doesn't say. */
  usage!: TurnUsageDto | null;

  /** What the turn cost; null if the agent doesn't say. */
  @ApiProperty({ type: TurnCostDto, nullable: true })
  cost!: TurnCostDto | null;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  startedAt!: number | null;

  /**
   * When the agent last did something, at most 15 s ago while it works; null if its device doesn't say. It changes
   * without a new `version`.
   */
  @UnixTimeField()
  lastActivityAt!: number | null;

  @UnixTimeField()
  endedAt!: number | null;

  @UnixTimeField()
  updatedAt!: number;
}

export function toTurnDto(row: TurnRow): TurnDto {
  return {
    id: row.id,
    object: 'turn',
    sessionId: row.session_id,
    origin: row.origin,
    requestId: row.origin === 'agent' ? null : computeRequestId(row.id),
    deviceId: row.device_id,
    version: row.version,
    state: row.state,
    stopReason: row.stop_reason,
    errorCode: row.error_code,
    firstSeq: row.first_seq,
    lastSeq: row.last_seq,
    pendingPermissions: row.pending_permissions,
    usage: row.usage && toUsageDto(row.usage),
    cost: row.cost && { amount: row.cost.amount, currency: row.cost.currency },
    createdAt: row.created_at.getTime(),
    startedAt: row.started_at?.getTime() ?? null,
    lastActivityAt: row.last_activity_at?.getTime() ?? null,
    endedAt: row.ended_at?.getTime() ?? null,
    updatedAt: row.updated_at.getTime(),
  };
}

/** Restores the order of the members, which the database doesn't keep. */
function toUsageDto({ inputTokens, outputTokens, totalTokens, cachedInputTokens = null }: TurnUsage): TurnUsageDto {
  return { inputTokens, outputTokens, totalTokens, cachedInputTokens };
}
