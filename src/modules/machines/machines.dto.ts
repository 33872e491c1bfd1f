import { IsIn, IsOptional } from 'class-validator';
import { DisplayName, Label } from '../../common/http';
import { PageQueryDto } from '../../common/pages';

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
}

export class ListMachinesQueryDto extends PageQueryDto {
  /** Filters machines by state. */
  @IsOptional()
  @IsIn(['online', 'offline'])
  state?: 'online' | 'offline';
}
