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

/** A message for an active session (relay.md, Request). */
export class SendMessageDto {
  /** The message's text, not blank. */
  @ApiProperty({ example: 'Please also update the changelog.' })
  @Matches(/\S/, { message: '$property must not be blank' })
  @Length(1, 100_000)
  @IsString()
  content!: string;
}

/** A command for a machine (relay.md, Request); it is run with argv, never through a shell. */
export class InvokeDto {
  /** The program to run. */
  @ApiProperty({ example: 'git' })
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @Length(1, 4_096)
  @IsString()
  command!: string;

  /** Its arguments. */
  @ApiPropertyOptional({ default: [], example: ['status', '--short'] })
  @IsOptional()
  @MaxLength(8_192, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(256)
  @IsArray()
  args?: string[];

  /** Working directory; null or absent: the device's default. The device judges it. */
  @ApiPropertyOptional({ example: '/srv/app', nullable: true })
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @MaxLength(4_096)
  @IsString()
  cwd?: string;

  /** Time allowed for the command in ms; the device is given at most 28000 of them. */
  @ApiPropertyOptional({ default: 20_000, example: 10_000 })
  @IsOptional()
  @Min(1)
  @Max(30_000)
  @IsInt()
  timeoutMs?: number;
}
