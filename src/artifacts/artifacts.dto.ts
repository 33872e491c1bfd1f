import { Type } from 'class-transformer';
import {
  IsDefined,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Label, QueryTime } from '../common/http';
import { PageQuery } from '../common/pages';
import { DataKeyDto } from '../sessions';

/** RFC 6838 §4.2 names, with parameters. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(\s*;\s*[\w!#$&^.+-]+=[\x20-\x7e]+)*$/;
/** What the body limit of 8 MiB leaves for the rest. */
const MAX_CONTENT = 8 * 1_048_576 - 16_384;

export class CreateArtifactDto {
  @Label(128)
  tag!: string;

  @IsOptional()
  @MaxLength(64)
  @IsString()
  sessionId?: string;

  @Matches(MEDIA_TYPE, { message: '$property must be a media type such as text/plain' })
  @MaxLength(255)
  @IsString()
  mediaType!: string;

  @ValidateNested()
  @Type(() => DataKeyDto)
  @IsObject()
  @IsDefined()
  dataKey!: DataKeyDto;

  @Length(1, MAX_CONTENT)
  @IsString()
  content!: string;
}

export class ReplaceContentDto {
  @Length(1, MAX_CONTENT)
  @IsString()
  content!: string;

  /** The version that this one replaces. */
  @Min(1)
  @IsInt()
  expectedVersion!: number;
}

export class ArtifactQuery extends PageQuery {
  /** Only those of this session. */
  @IsOptional()
  @Length(1, 64)
  @IsString()
  sessionId?: string;

  /** Only those of exactly this media type. */
  @IsOptional()
  @Length(1, 255)
  @IsString()
  mediaType?: string;

  /** Unix ms, inclusive. */
  @QueryTime()
  createdSince?: number;

  /** Unix ms, inclusive. */
  @QueryTime()
  updatedSince?: number;
}
