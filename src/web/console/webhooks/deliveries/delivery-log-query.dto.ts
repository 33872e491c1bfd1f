import { IsOptional, IsString, MaxLength } from 'class-validator';
import { QueryInteger } from '../../../../common/http';

/** Query of a log page with the raw filters of the form, which are validated as a form. */
export class DeliveryLogQueryDto {
  @IsOptional()
  @MaxLength(100)
  @IsString()
  state?: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  type?: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  eventId?: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  since?: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  until?: string;

  @IsOptional()
  @MaxLength(4096)
  @IsString()
  cursor?: string;

  /** Number of replayed events, right after a replay. */
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  replayed?: number;
}
