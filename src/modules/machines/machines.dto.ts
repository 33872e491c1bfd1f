import { ArrayUnique, IsIn, IsOptional } from 'class-validator';
import { DisplayName, Label, NestedList } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { AnnouncedAgentDto } from './machine-agent.dto';

const MAX_AGENTS = 16;

export class RegisterMachineDto {
  @DisplayName(100)
  name!: string;

  @DisplayName(64)
  platform!: string;

  @IsOptional()
  @Label(64)
  arch?: string;

  @IsOptional()
  @Label(64)
  appVersion?: string;

  @IsOptional()
  @ArrayUnique((agent: AnnouncedAgentDto) => agent?.name, { message: '$property must not name an agent twice' })
  @NestedList(AnnouncedAgentDto, MAX_AGENTS, { minItems: 0 })
  agents?: AnnouncedAgentDto[];
}

export class ListMachinesQueryDto extends PageQueryDto {
  /** Filters machines by state. */
  @IsOptional()
  @IsIn(['online', 'offline'])
  state?: 'online' | 'offline';
}
