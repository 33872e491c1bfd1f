import { IsInt, IsOptional, IsString, Length, Matches, MaxLength, Min } from 'class-validator';
import { Label, NestedObject, QueryTime } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { DataKeyDto } from '../sessions';

/** Name of a type or subtype (RFC 6838 §4.2). */
const TYPE_NAME = '[\\w!#$&^.+-]{1,127}';
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const QUOTED_STRING = '"(?:[\\t !\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t\\x20-\\x7e])*"';
/** Media type in ASCII (RFC 9110 §8.3.1). */
const MEDIA_TYPE_PATTERN = new RegExp(
  `^${TYPE_NAME}/${TYPE_NAME}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED_STRING}))?)*$`,
);
/** Body limit of 8 MiB less 16 KiB for the other members. */
const MAX_ARTIFACT_CONTENT_LENGTH = 8 * 1_048_576 - 16_384;

export class CreateArtifactDto {
  @Label(128)
  tag!: string;

  @IsOptional()
  @MaxLength(64)
  @IsString()
  sessionId?: string;

  @Matches(MEDIA_TYPE_PATTERN, { message: '$property must be a media type such as text/plain' })
  @MaxLength(255)
  @IsString()
  mediaType!: string;

  @NestedObject(DataKeyDto)
  dataKey!: DataKeyDto;

  @Length(1, MAX_ARTIFACT_CONTENT_LENGTH)
  @IsString()
  content!: string;
}

export class ReplaceArtifactContentDto {
  @Length(1, MAX_ARTIFACT_CONTENT_LENGTH)
  @IsString()
  content!: string;

  /** Version to replace. */
  @Min(1)
  @IsInt()
  expectedVersion!: number;
}

export class ListArtifactsQueryDto extends PageQueryDto {
  /** Filters artifacts by session id. */
  @IsOptional()
  @Length(1, 64)
  @IsString()
  sessionId?: string;

  /** Filters artifacts by exact media type. */
  @IsOptional()
  @Length(1, 255)
  @IsString()
  mediaType?: string;

  /** Earliest creation time in Unix ms, inclusive. */
  @QueryTime()
  createdSince?: number;

  /** Earliest time of the last update in Unix ms, inclusive. */
  @QueryTime()
  updatedSince?: number;
}
