import { IsIn, IsInt, IsOptional, IsString, Length, Matches, MaxLength, Min } from 'class-validator';
import { Label, NestedObject, QueryTime } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { DataKeyDto } from './data-key.dto';
import type { SessionAgent } from './session.entity';

const MAX_METADATA_LENGTH = 65_536;

/** Agent of a session (docs/protocol/device-api.md#sync). */
export class AgentDto {
  @Matches(/^[a-z0-9-]{1,64}$/, { message: '$property must be 1 to 64 lower-case letters, digits or hyphens' })
  @IsString()
  name!: string;

  @Label(128)
  title!: string;

  @IsOptional()
  @Label(64)
  mode?: string;
}

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

  @IsOptional()
  @NestedObject(AgentDto)
  agent?: AgentDto;
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
  @NestedObject(AgentDto)
  agent?: AgentDto;

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

export function toSessionAgent(agent: AgentDto | undefined): SessionAgent | null {
  return agent ? { name: agent.name, title: agent.title, mode: agent.mode ?? null } : null;
}
