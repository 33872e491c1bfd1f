import { ArrayUnique, IsBoolean, IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { Label, MAX_INTEGER, NestedList, QueryInteger } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { MESSAGE_ROLES, type MessageRole } from './message.entity';

/** Maximum length of the JWE of one message in characters (docs/protocol/device-api.md#sync). */
const MAX_MESSAGE_CONTENT_LENGTH = 358_400;

export class NewMessageDto {
  /** Id chosen by the device, 1 to 128 visible ASCII characters. */
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: '$property must be 1 to 128 visible characters' })
  @IsString()
  localId!: string;

  @IsIn(MESSAGE_ROLES)
  role!: MessageRole;

  @Length(1, MAX_MESSAGE_CONTENT_LENGTH)
  @IsString()
  content!: string;

  /** Id of the relayed call that began the message's turn. */
  @IsOptional()
  @Matches(/^req_[0-9a-z]{26}$/, { message: '$property must be a request id' })
  @IsString()
  turnLocalId?: string;

  /**
   * Whether the message is older than its session: it is from a conversation that the session continues. It belongs to
   * no turn and causes no event.
   */
  @IsOptional()
  @IsBoolean()
  imported?: boolean;
}

export class AppendMessagesDto {
  @ArrayUnique((message: NewMessageDto) => message?.localId, {
    message: '$property must not repeat a localId',
  })
  @NestedList(NewMessageDto, 100)
  messages!: NewMessageDto[];
}

export class ListMessagesQueryDto extends PageQueryDto {
  /** Filters messages by role. */
  @IsOptional()
  @IsIn(MESSAGE_ROLES)
  role?: MessageRole;

  /** Filters messages by turn id. */
  @IsOptional()
  @Label(64)
  turnId?: string;

  /** Returns messages with a greater `seq`. */
  @QueryInteger(0, MAX_INTEGER)
  afterSeq?: number;

  /** Returns messages with a smaller `seq`. */
  @QueryInteger(0, MAX_INTEGER)
  beforeSeq?: number;
}
