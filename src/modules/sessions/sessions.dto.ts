import { IsIn, IsInt, IsOptional, IsString, Length, MaxLength, Min } from 'class-validator';
import { Label, NestedObject, QueryTime } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { DataKeyDto } from './data-key.dto';

const MAX_METADATA_LENGTH = 65_536;

export class CreateSessionDto {
  @Label(128)
  tag!: string;

  @IsOptional()
  @MaxLength(64)
  @IsString()
  machineId?: string;

  @NestedObject(DataKeyDto)
  dataKey!: DataKeyDto;

  @IsOptional()
  @Length(1, MAX_METADATA_LENGTH)
  @IsString()
  metadata?: string;
}

export class UpdateSessionDto {
  @IsOptional()
  @IsIn(['active', 'ended'])
  state?: 'active' | 'ended';

  @IsOptional()
  @Length(1, MAX_METADATA_LENGTH)
  @IsString()
  metadata?: string;

  @IsOptional()
  @Min(1)
  @IsInt()
  expectedVersion?: number;
}

export class ListSessionsQueryDto extends PageQueryDto {
  /** Filters sessions by state. */
  @IsOptional()
  @IsIn(['active', 'ended'])
  state?: 'active' | 'ended';

  /** Filters sessions by machine id. */
  @IsOptional()
  @Label(64)
  machineId?: string;

  /** Filters sessions by exact tag. */
  @IsOptional()
  @Label(128)
  tag?: string;

  /** Earliest creation time in Unix ms, inclusive. */
  @QueryTime()
  createdSince?: number;

  /** Latest creation time in Unix ms, exclusive. */
  @QueryTime()
  createdUntil?: number;

  /** Earliest time of the last update in Unix ms, inclusive. */
  @QueryTime()
  updatedSince?: number;
}
