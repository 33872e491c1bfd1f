import { IsIn, IsOptional } from 'class-validator';
import { Label } from '../common/http';
import { PageQuery } from '../common/pages';

export class RegisterMachineDto {
  @Label(100)
  name!: string;

  @Label(64)
  platform!: string;

  @IsOptional()
  @Label(64)
  arch?: string;

  @IsOptional()
  @Label(64)
  appVersion?: string;
}

export class MachineQuery extends PageQuery {
  /** Only those in this state. */
  @IsOptional()
  @IsIn(['online', 'offline'])
  state?: 'online' | 'offline';
}
