import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { QueryInteger } from '../common/http';
import { PageQuery } from '../common/pages';
import { MESSAGE_ROLES, type MessageRole } from './message.entity';

/** Characters of JWE that one message may hold (device-api.md, Sync). */
const MAX_CONTENT = 358_400;

export class NewMessageDto {
  /** 1 to 128 visible ASCII characters */
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: '$property must be 1 to 128 visible characters' })
  @IsString()
  localId!: string;

  @IsIn(MESSAGE_ROLES)
  role!: MessageRole;

  @Length(1, MAX_CONTENT)
  @IsString()
  content!: string;
}

export class AppendMessagesDto {
  @ValidateNested({ each: true })
  @Type(() => NewMessageDto)
  @ArrayUnique((message: NewMessageDto) => message?.localId, {
    message: '$property must not repeat a localId',
  })
  @ArrayMaxSize(100)
  @ArrayMinSize(1)
  @IsArray()
  messages!: NewMessageDto[];
}

export class MessageQuery extends PageQuery {
  /** Only those by this author. */
  @IsOptional()
  @IsIn(MESSAGE_ROLES)
  role?: MessageRole;

  /** Only those with a larger `seq`. */
  @QueryInteger(0, 2_147_483_647)
  afterSeq?: number;

  /** Only those with a smaller `seq`. */
  @QueryInteger(0, 2_147_483_647)
  beforeSeq?: number;
}
