import { IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../../common/pages';

/** Query of the page of devices, to which other programs link. */
export class DevicesPageQueryDto extends PageQueryDto {
  /** Pairing code that the page fills in. The project's own devices have it in the fragment, which no server logs. */
  @IsOptional()
  @MaxLength(32)
  @IsString()
  code?: string;
}
