import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { SCOPE_NAMES, type Scope } from '../../access/auth';
import { DisplayName } from '../../common/http';

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
