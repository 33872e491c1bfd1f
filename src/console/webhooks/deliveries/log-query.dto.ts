import { IsOptional, IsString, MaxLength } from 'class-validator';
import { QueryInteger } from '../../../common/http';

/** The address of a page of the log: its filters as the form sends them, to be judged as every form. */
export class LogQuery {
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
  since?: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  until?: string;

  @IsOptional()
  @MaxLength(4096)
  @IsString()
  cursor?: string;

  /** How many are sent again, right after they were asked for. */
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  replayed?: number;
}
