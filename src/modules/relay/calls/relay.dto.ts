import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { IF_BUSY, type IfBusy } from '@external-api/protocol';
import { AllowNul, IsTextMap, Label, NestedObject } from '../../../common/http';
import { MessageDeliveryDto } from '../../queued-messages';
import { type AttachmentDto, AttachmentsField } from './attachment.dto';
import { ContinuationDto } from './continuation.dto';
import { OPTION_VALUES, OptionValuesField, type OptionValues } from './session-options.dto';
import { IsStartGrant, StartGrantDto, StartGrantField } from './start-grant.dto';

/** Leaves a device time to answer after the wait, before its time limit. */
export const MAX_MESSAGE_WAIT_MS = 25_000;

/** As for messages that devices store (docs/protocol/device-api.md#sync). */
const MAX_SEALED_CONTENT_LENGTH = 358_400;

const IF_BUSY_DESCRIPTION =
  'What to do while the agent works on another message: `queue` waits for its end. `steer` joins the running turn, ' +
  'and is 409 `steer_unsupported` if the agent does not support that. `interrupt` cancels the running turn and goes ' +
  'before queued messages. `reject` is 409 `session_busy`. Not with `delivery`.';

/** A null member counts as absent. */
const isGiven = (value: unknown) => value !== undefined && value !== null;

/** A message for an active session (docs/protocol/relay.md#request). */
export class SendMessageDto {
  /** Text of the message. It must not be blank. Exactly one of `content` and `sealedContent` is required. */
  @ApiPropertyOptional({ example: 'Please also update the changelog.' })
  @ValidateIf(({ content, sealedContent }: SendMessageDto) => isGiven(content) || !isGiven(sealedContent))
  @AllowNul()
  @Matches(/\S/, { message: '$property must not be blank' })
  @Length(1, 100_000)
  @IsString()
  content?: string;

  /**
   * Text that you have encrypted with the data key of the session: a compact JWE, bound to `localId` and the role
   * `user`. The service can't read it. Only devices that declare `session.sealed` get it.
   */
  @ApiPropertyOptional({ example: 'eyJhbGciOiJkaXIi….….…' })
  @IsOptional()
  @Length(1, MAX_SEALED_CONTENT_LENGTH)
  @IsString()
  sealedContent?: string;

  /** Your id of a sealed message, 1 to 128 visible ASCII characters. Required with `sealedContent`. */
  @ApiPropertyOptional({ example: 'm-0013' })
  @ValidateIf(({ sealedContent, localId }: SendMessageDto) => isGiven(sealedContent) || isGiven(localId))
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: '$property must be 1 to 128 visible characters' })
  @IsString()
  localId?: string;

  @AttachmentsField()
  attachments?: AttachmentDto[];

  /**
   * How long to wait for the turn that the message begins, in ms. The device answers earlier when the turn ends or
   * requires a decision. 0: it answers when it has stored the message. The turn goes on in any case.
   */
  @ApiPropertyOptional({ default: MAX_MESSAGE_WAIT_MS, example: 0 })
  @IsOptional()
  @Min(0)
  @Max(MAX_MESSAGE_WAIT_MS)
  @IsInt()
  waitMs?: number;

  @ApiPropertyOptional({ type: String, enum: IF_BUSY, default: 'queue', description: IF_BUSY_DESCRIPTION })
  @IsOptional()
  @IsIn(IF_BUSY)
  ifBusy?: IfBusy;

  /** How to deliver the message. By default, at once or not at all. With `queue`, `waitMs` must be absent or 0. */
  @IsOptional()
  @NestedObject(MessageDeliveryDto)
  delivery?: MessageDeliveryDto;
}

/** The program that a call runs, with its arguments and its folder. */
export class CommandDto {
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
}

/** A command for a machine (docs/protocol/relay.md#request). It runs with its arguments, never through a shell. */
export class InvokeDto extends CommandDto {
  /** Time limit of the command in ms. The device gets at most 28000 ms. */
  @ApiPropertyOptional({ default: 20_000, example: 10_000 })
  @IsOptional()
  @Min(1)
  @Max(30_000)
  @IsInt()
  timeoutMs?: number;
}

/** A session to start on a machine (docs/protocol/agents.md#start-a-session). */
@ApiExtraModels(StartGrantDto)
export class StartSessionDto extends ContinuationDto {
  /** Name of one of the machine's agents. By default, the machine's first one. */
  @ApiPropertyOptional({ example: 'opencode', nullable: true })
  @IsOptional()
  @Matches(/^[a-z0-9-]*$/, { message: '$property must consist of a-z, 0-9 and hyphens' })
  @Length(1, 64)
  @IsString()
  agent?: string;

  /** Folder to work in. The device uses its default if this is null or absent, and decides whether it is allowed. */
  @ApiPropertyOptional({ example: '/srv/app', nullable: true })
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @MaxLength(4_096)
  @IsString()
  cwd?: string;

  /** One of the agent's modes. By default, the owner's choice, else one in which the agent asks before it acts. */
  @ApiPropertyOptional({ example: 'build', nullable: true })
  @IsOptional()
  @Label(64)
  mode?: string;

  /** Tag of the session, unique in the account. By default, the id of this call. */
  @ApiPropertyOptional({ example: 'nightly-build', nullable: true })
  @IsOptional()
  @Label(128)
  tag?: string;

  /** Text of the first message. It must not be blank. Without it, no turn begins. */
  @ApiPropertyOptional({ example: 'Please fix the failing test.', nullable: true })
  @IsOptional()
  @AllowNul()
  @Matches(/\S/, { message: '$property must not be blank' })
  @Length(1, 100_000)
  @IsString()
  content?: string;

  @AttachmentsField()
  attachments?: AttachmentDto[];

  /** How long to wait for the turn of the first message, in ms, as for a message. */
  @ApiPropertyOptional({ default: MAX_MESSAGE_WAIT_MS, example: 0 })
  @IsOptional()
  @Min(0)
  @Max(MAX_MESSAGE_WAIT_MS)
  @IsInt()
  waitMs?: number;

  @StartGrantField()
  @IsOptional()
  @IsStartGrant()
  grant?: boolean | StartGrantDto;

  @OptionValuesField()
  @IsOptional()
  @IsTextMap(OPTION_VALUES)
  options?: OptionValues;
}
