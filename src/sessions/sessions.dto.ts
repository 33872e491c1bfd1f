import { Type } from 'class-transformer';
import {
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Label, QueryTime } from '../common/http';
import { PageQuery } from '../common/pages';
import { DataKeyDto } from './data-key.dto';

const MAX_METADATA = 65_536;

export class CreateSessionDto {
  @Label(128)
  tag!: string;

  @IsOptional()
  @MaxLength(64)
  @IsString()
  machineId?: string;

  @ValidateNested()
  @Type(() => DataKeyDto)
  @IsObject()
  @IsDefined()
  dataKey!: DataKeyDto;

  @IsOptional()
  @Length(1, MAX_METADATA)
  @IsString()
  metadata?: string;
}

export class UpdateSessionDto {
  @IsOptional()
  @IsIn(['active', 'ended'])
  state?: 'active' | 'ended';

  @IsOptional()
  @Length(1, MAX_METADATA)
  @IsString()
  metadata?: string;

  @IsOptional()
  @Min(1)
  @IsInt()
  expectedVersion?: number;
}

export class SessionQuery extends PageQuery {
  /** Only those in this state. */
  @IsOptional()
  @IsIn(['active', 'ended'])
  state?: 'active' | 'ended';

  /** Only those on this machine. */
  @IsOptional()
  @Label(64)
  machineId?: string;

  /** Only the one of this name. */
  @IsOptional()
  @Label(128)
  tag?: string;

  /** Unix ms, inclusive. */
  @QueryTime()
  createdSince?: number;

  /** Unix ms, exclusive. */
  @QueryTime()
  createdUntil?: number;

  /** Unix ms, inclusive. */
  @QueryTime()
  updatedSince?: number;
}
