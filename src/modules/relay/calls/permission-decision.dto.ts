import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { invalidRequestError } from '../../../common/errors';
import type { PermissionChoice } from '../../permission-requests';

const DECISIONS = ['allow', 'reject'] as const;

/** A decision on a permission request (docs/protocol/agents.md#decisions): either `decision` or `optionId`. */
export class DecidePermissionDto {
  /**
   * `allow` selects the first option of the kind `allow_once`, `reject` the first of the kind `reject_once`. Exactly
   * one of `decision` and `optionId` is required.
   */
  @ApiPropertyOptional({ type: String, enum: DECISIONS, example: 'allow' })
  @IsOptional()
  @IsIn(DECISIONS)
  decision?: (typeof DECISIONS)[number];

  /** One of the options of the request, of any kind. */
  @ApiPropertyOptional({ example: 'o2' })
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,64}$/, { message: '$property must be 1 to 64 visible characters' })
  @IsString()
  optionId?: string;

  /** The `contentHash` that came with the content. */
  @ApiProperty({ example: 'LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ' })
  @Matches(/^[A-Za-z0-9_-]{43}$/, { message: '$property must be base64url of a SHA-256 hash' })
  @IsString()
  contentHash!: string;
}

/** @throws ApiError 400 unless exactly one of `decision` and `optionId` is given */
export function toPermissionChoice({ decision, optionId }: DecidePermissionDto): PermissionChoice {
  if (decision && optionId) throw createChoiceError('/optionId', 'not_allowed', 'must not be given with decision');
  if (decision) return { decision };
  if (optionId) return { optionId };
  throw createChoiceError('/decision', 'required', 'is required without optionId');
}

function createChoiceError(path: string, code: string, message: string) {
  return invalidRequestError([{ in: 'body', path, code, message: `${path} ${message}.` }]);
}
