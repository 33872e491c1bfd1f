import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';

/** A message for an active session (docs/protocol/relay.md#request). */
export class SendMessageDto {
  /** Text of the message. It must not be blank. */
  @ApiProperty({ example: 'Please also update the changelog.' })
  @Matches(/\S/, { message: '$property must not be blank' })
  @Length(1, 100_000)
  @IsString()
  content!: string;
}

/** A command for a machine (docs/protocol/relay.md#request). It runs with its arguments, never through a shell. */
export class InvokeDto {
  /** The program to run. */
  @ApiProperty({ example: 'git' })
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @Length(1, 4_096)
  @IsString()
  command!: string;

  /** Arguments of the program. */
  @ApiPropertyOptional({ default: [], example: ['status', '--short'] })
  @IsOptional()
  @MaxLength(8_192, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(256)
  @IsArray()
  args?: string[];

  /**
   * Working directory. The device uses its default if this is null or absent, and decides whether the directory is
   * allowed.
   */
  @ApiPropertyOptional({ example: '/srv/app', nullable: true })
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @MaxLength(4_096)
  @IsString()
  cwd?: string;

  /** Time limit of the command in ms. The device gets at most 28000 ms. */
  @ApiPropertyOptional({ default: 20_000, example: 10_000 })
  @IsOptional()
  @Min(1)
  @Max(30_000)
  @IsInt()
  timeoutMs?: number;
}
