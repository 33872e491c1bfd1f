import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import {
  INVOCATION_ERROR_CODES,
  INVOCATION_STATES,
  REPORTED_INVOCATION_STATES,
  type InvocationErrorCode,
  type InvocationReport,
  type InvocationState,
  type ReportedInvocationState,
} from '@external-api/protocol';
import { MAX_INTEGER, MAX_TIME } from '../../common/http';
import { PageQueryDto } from '../../common/pages';

/**
 * {@link InvocationReport}. A null member counts as absent. `findInvocationReportViolations` checks how the members fit
 * together.
 */
export class InvocationReportDto {
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  revision!: number;

  @IsIn(REPORTED_INVOCATION_STATES)
  state!: ReportedInvocationState;

  @IsOptional()
  @IsIn(INVOCATION_ERROR_CODES)
  errorCode?: InvocationErrorCode;

  @IsOptional()
  @Max(MAX_INTEGER)
  @Min(-MAX_INTEGER - 1)
  @IsInt()
  exitCode?: number;

  @IsOptional()
  @Matches(/^SIG[A-Z0-9]{1,20}$/, { message: '$property must be the name of a signal' })
  @IsString()
  signal?: string;

  @IsBoolean()
  timedOut!: boolean;

  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  stdoutBytes!: number;

  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  stderrBytes!: number;

  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  startedAt?: number;

  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  endedAt?: number;
}

export class ListInvocationsQueryDto extends PageQueryDto {
  /** Filters invocations by state. */
  @IsOptional()
  @IsIn(INVOCATION_STATES)
  state?: InvocationState;
}

/** Returns the report with null for absent members. */
export function toInvocationReport(body: InvocationReportDto): InvocationReport {
  const { errorCode = null, exitCode = null, signal = null, startedAt = null, endedAt = null } = body;
  const { revision, state, timedOut, stdoutBytes, stderrBytes } = body;
  return { revision, state, errorCode, exitCode, signal, timedOut, stdoutBytes, stderrBytes, startedAt, endedAt };
}
