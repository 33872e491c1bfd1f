import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import {
  MAX_INVOCATION_TIMEOUT_MS,
  MAX_OUTPUT_BYTES,
  OUTPUT_STREAMS,
  type OutputStreamName,
  type ReadOutputParams,
} from '@external-api/protocol';
import { QueryInteger } from '../../../common/http';
import { CommandDto } from './relay.dto';

export const DEFAULT_INVOCATION_TIMEOUT_MS = 600_000;

/** A command that may run for up to an hour. It runs with its arguments, never through a shell. */
export class StartInvocationDto extends CommandDto {
  /** Time limit of the command in ms. */
  @ApiPropertyOptional({ default: DEFAULT_INVOCATION_TIMEOUT_MS, example: 1_800_000 })
  @IsOptional()
  @Min(1)
  @Max(MAX_INVOCATION_TIMEOUT_MS)
  @IsInt()
  timeoutMs?: number;
}

export class ReadOutputQueryDto {
  /** Stream to read. By default, the standard output. */
  @IsOptional()
  @IsIn(OUTPUT_STREAMS)
  stream?: OutputStreamName;

  /** Position of the first byte to read, in everything that the command has written. By default, the beginning. */
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  offset?: number;

  /** Maximum number of bytes to read. */
  @QueryInteger(1, MAX_OUTPUT_BYTES)
  limit?: number;
}

export function toReadOutputParams(
  invocationId: string,
  { stream = 'stdout', offset = 0, limit = MAX_OUTPUT_BYTES }: ReadOutputQueryDto,
): ReadOutputParams {
  return { invocationId, stream, offset, limit };
}
