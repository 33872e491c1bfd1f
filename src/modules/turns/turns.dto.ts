import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import {
  CURRENCY_PATTERN,
  MAX_COST_AMOUNT,
  MAX_PENDING_PERMISSIONS,
  REPORTED_TURN_STATES,
  STOP_REASONS,
  TURN_ERROR_CODES,
  TURN_ORIGINS,
  TURN_STATES,
  type ReportedTurnState,
  type SessionContext,
  type StopReason,
  type TurnCost,
  type TurnErrorCode,
  type TurnOrigin,
  type TurnReport,
  type TurnState,
  type TurnUsage,
} from '@external-api/protocol';
import { MAX_INTEGER, MAX_TIME, NestedObject } from '../../common/http';
import { PageQueryDto } from '../../common/pages';

export class ReportedUsageDto implements TurnUsage {
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  inputTokens!: number;

  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  outputTokens!: number;

  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  totalTokens!: number;

  @IsOptional()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  cachedInputTokens?: number;
}

export class ReportedCostDto implements TurnCost {
  @ApiProperty({ type: 'number', format: 'double' })
  @Max(MAX_COST_AMOUNT)
  @Min(0)
  @IsNumber()
  amount!: number;

  @Matches(CURRENCY_PATTERN, { message: '$property must be three capital letters' })
  @IsString()
  currency!: string;
}

export class ReportedContextDto implements SessionContext {
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  used!: number;

  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  size!: number;
}

/**
 * {@link TurnReport}. A null member counts as absent. `findTurnReportViolations` checks how the members fit together.
 */
export class TurnReportDto {
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  revision!: number;

  @IsIn(REPORTED_TURN_STATES)
  state!: ReportedTurnState;

  @IsOptional()
  @IsIn(STOP_REASONS)
  stopReason?: StopReason;

  @IsOptional()
  @IsIn(TURN_ERROR_CODES)
  errorCode?: TurnErrorCode;

  @Max(MAX_PENDING_PERMISSIONS)
  @Min(0)
  @IsInt()
  pendingPermissions!: number;

  @IsOptional()
  @NestedObject(ReportedUsageDto)
  usage?: ReportedUsageDto;

  @IsOptional()
  @NestedObject(ReportedCostDto)
  cost?: ReportedCostDto;

  /** How much of its context the session uses after this turn. */
  @IsOptional()
  @NestedObject(ReportedContextDto)
  context?: ReportedContextDto;

  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  startedAt?: number;

  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  lastActivityAt?: number;

  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  endedAt?: number;

  /** What began the turn, by default a message. Only the first report sets it. */
  @IsOptional()
  @IsIn(TURN_ORIGINS)
  origin?: TurnOrigin;
}

export class ListTurnsQueryDto extends PageQueryDto {
  /** Filters turns by state. */
  @IsOptional()
  @IsIn(TURN_STATES)
  state?: TurnState;
}

/** Returns the report with null for absent members. */
export function toTurnReport(body: TurnReportDto): TurnReport {
  const { stopReason = null, errorCode = null, usage = null, startedAt = null, endedAt = null } = body;
  const { revision, state, pendingPermissions, cost = null, context = null, lastActivityAt = null } = body;
  const { origin = 'message' } = body;
  const details = { usage, cost, context, lastActivityAt };
  return { revision, state, stopReason, errorCode, pendingPermissions, ...details, startedAt, endedAt, origin };
}
