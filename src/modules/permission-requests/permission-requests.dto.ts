import { ArrayUnique, IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import {
  MAX_PERMISSION_CONTENT_LENGTH,
  MAX_PERMISSION_OPTIONS,
  PERMISSION_OPTION_KINDS,
  PERMISSION_REQUEST_STATES,
  type PermissionOption,
  type PermissionOptionKind,
  type PermissionRequestReport,
  type PermissionRequestState,
} from '@external-api/protocol';
import { MAX_INTEGER, MAX_TIME, NestedList } from '../../common/http';
import { PageQueryDto } from '../../common/pages';

const OPTION_ID = /^[\x21-\x7e]{1,64}$/;
const OPTION_ID_MESSAGE = { message: '$property must be 1 to 64 visible characters' };

export class ReportedPermissionOptionDto implements PermissionOption {
  @Matches(OPTION_ID, OPTION_ID_MESSAGE)
  @IsString()
  optionId!: string;

  @IsIn(PERMISSION_OPTION_KINDS)
  kind!: PermissionOptionKind;
}

/**
 * {@link PermissionRequestReport}, where a member that is null counts as absent. `findPermissionReportViolations`
 * checks how the members fit together.
 */
export class PermissionRequestReportDto {
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  revision!: number;

  @Length(1, 64)
  @IsString()
  turnLocalId!: string;

  @Matches(/^[\x21-\x7e]{1,64}$/, { message: '$property must be 1 to 64 visible characters' })
  @IsString()
  kind!: string;

  @ArrayUnique((option: ReportedPermissionOptionDto) => option?.optionId, {
    message: '$property must not repeat an optionId',
  })
  @NestedList(ReportedPermissionOptionDto, MAX_PERMISSION_OPTIONS, { minItems: 0 })
  options!: ReportedPermissionOptionDto[];

  @Length(1, MAX_PERMISSION_CONTENT_LENGTH)
  @IsString()
  content!: string;

  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  expiresAt!: number;

  @IsIn(PERMISSION_REQUEST_STATES)
  state!: PermissionRequestState;

  @IsOptional()
  @Matches(OPTION_ID, OPTION_ID_MESSAGE)
  @IsString()
  optionId?: string;

  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  decidedAt?: number;
}

export class ListPermissionRequestsQueryDto extends PageQueryDto {
  /** Filters requests by state. */
  @IsOptional()
  @IsIn(PERMISSION_REQUEST_STATES)
  state?: PermissionRequestState;
}

export class ListAccountPermissionRequestsQueryDto extends PageQueryDto {
  /** Lists only the requests that wait for a decision. */
  @IsOptional()
  @IsIn(['pending'])
  state?: 'pending';
}

/** Returns the report with null for absent members. */
export function toPermissionRequestReport(body: PermissionRequestReportDto): PermissionRequestReport {
  const { optionId = null, decidedAt = null, ...members } = body;
  return { ...members, optionId, decidedAt };
}
