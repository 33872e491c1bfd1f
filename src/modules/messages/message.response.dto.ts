import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { MessageEntity, MessageRole } from './message.entity';
import { EventData } from '../../core/events';

/** A row of `messages` without its content. */
export type MessageRow = RowOf<Omit<MessageEntity, 'content'>>;

/** Message as returned by the External API, without content (docs/protocol/external-api.md#records). */
@EventData()
export class MessageDto {
  @IdField('msg')
  id!: string;

  @ObjectTypeField('message')
  object!: 'message';

  @IdField('ses')
  sessionId!: string;

  /** Sequence number within the session, from 1 without gaps. */
  @CountField(12, 1)
  seq!: number;

  /**
   * Id chosen by the writing device.
   * @example m-0012
   */
  localId!: string;

  /** @example assistant */
  role!: MessageRole;

  /** Size of the ciphertext in bytes. */
  @CountField(2048)
  sizeBytes!: number;

  /**
   * Id of the data key that encrypts the content.
   * @example k1
   */
  keyId!: string;

  /** Turn of the agent that the message belongs to, if declared. */
  @IdField('turn')
  turnId!: string | null;

  @UnixTimeField()
  createdAt!: number;
}

/** Message with its ciphertext, for the account's devices. */
export class DeviceMessageDto extends MessageDto {
  /**
   * Compact JWE.
   * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…
   */
  content!: string;
}

/** Id and `seq` of an appended message. */
export class AppendedMessageDto {
  @IdField('msg')
  id!: string;

  @CountField(12, 1)
  seq!: number;

  /** @example m-0012 */
  localId!: string;
}

/** The messages of a batch, in its order. */
export class AppendedMessagesDto {
  data!: AppendedMessageDto[];
}

export function toMessageDto(row: MessageRow): MessageDto {
  return {
    id: row.id,
    object: 'message',
    sessionId: row.session_id,
    seq: row.seq,
    localId: row.local_id,
    role: row.role,
    sizeBytes: row.size_bytes,
    keyId: row.key_id,
    turnId: row.turn_id,
    createdAt: row.created_at.getTime(),
  };
}

export function toDeviceMessageDto(row: MessageRow & { content: string }): DeviceMessageDto {
  return { ...toMessageDto(row), content: row.content };
}
