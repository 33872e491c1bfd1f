import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { SCOPE_NAMES, type Scope } from '../auth';
import { Label } from '../common/http';

export class CreateExternalTokenDto {
  @Label(100)
  name!: string;

  @IsIn(SCOPE_NAMES, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SCOPE_NAMES.length)
  @ArrayMinSize(1)
  @IsArray()
  scopes!: Scope[];

  /** Days until it expires; absent: never */
  @IsOptional()
  @Min(1)
  @Max(3650)
  @IsInt()
  expiresInDays?: number;
}

export class RotateExternalTokenDto {
  /** How long the old secret goes on working; absent: it ends at once */
  @IsOptional()
  @Min(0)
  @Max(86_400)
  @IsInt()
  overlapSeconds?: number;
}
