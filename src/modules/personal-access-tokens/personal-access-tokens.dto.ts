import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { SCOPE_NAMES, type Scope } from '../../access/auth';
import { DisplayName } from '../../common/http';

/** Machines that a token can be limited to (docs/guide/limits.md). */
export const MAX_TOKEN_MACHINES = 50;

export class CreateExternalTokenDto {
  /** Name of the token, chosen by its owner. */
  @DisplayName(100)
  name!: string;

  @ApiProperty({ enum: SCOPE_NAMES, isArray: true, uniqueItems: true, example: ['sessions:read'] })
  @IsIn(SCOPE_NAMES, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SCOPE_NAMES.length)
  @ArrayMinSize(1)
  @IsArray()
  scopes!: Scope[];

  /**
   * Machines of the account that the token is limited to. It can't act on others, not even on those that are added
   * later. If absent, it may act on all.
   */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: 64 },
    nullable: true,
    minItems: 1,
    maxItems: MAX_TOKEN_MACHINES,
    uniqueItems: true,
    example: null,
  })
  @IsOptional()
  @ArrayUnique()
  @MaxLength(64, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_TOKEN_MACHINES)
  @ArrayMinSize(1)
  @IsArray()
  machineIds?: string[] | null;

  /** Days until the token expires. If absent, it does not expire. */
  @IsOptional()
  @Min(1)
  @Max(3650)
  @IsInt()
  expiresInDays?: number;
}

export class RenamePersonalAccessTokenDto {
  /** New name of the token. */
  @DisplayName(100)
  name!: string;
}

export class RotatePersonalAccessTokenDto {
  /** Seconds for which the old secret still works. If absent, it stops working at once. */
  @IsOptional()
  @Min(0)
  @Max(86_400)
  @IsInt()
  overlapSeconds?: number;
}
