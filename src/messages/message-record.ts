import { CountField, IdField, ObjectField, TimeField } from '../common/http';
import type { MessageRole } from './message.entity';

/** A row of `messages` as lists read it: without its content. */
export interface MessageRow {
  id: string;
  session_id: string;
  seq: number;
  local_id: string;
  role: MessageRole;
  key_id: string;
  size_bytes: number;
  created_at: Date;
}

/** The message as the External API shows it: never content (external-api.md §3, Records). */
export class MessageRecord {
  @IdField('msg')
  id!: string;

  @ObjectField('message')
  object!: 'message';

  @IdField('ses')
  sessionId!: string;

  /** Its place in the session: from 1, without gaps. */
  @CountField(12, 1)
  seq!: number;

  /**
   * The writing device's own name for it.
   * @example m-0012
   */
  localId!: string;

  /** @example assistant */
  role!: MessageRole;

  /** Size of the ciphertext. */
  @CountField(2048)
  sizeBytes!: number;

  /**
   * The data key that its content is encrypted with.
   * @example k1
   */
  keyId!: string;

  @TimeField()
  createdAt!: number;
}

/** What the account's devices read back beyond that: the ciphertext. */
export interface DeviceMessageRecord extends MessageRecord {
  content: string;
}

export function toMessageRecord(row: MessageRow): MessageRecord {
  return {
    id: row.id,
    object: 'message',
    sessionId: row.session_id,
    seq: row.seq,
    localId: row.local_id,
    role: row.role,
    sizeBytes: row.size_bytes,
    keyId: row.key_id,
    createdAt: row.created_at.getTime(),
  };
}

export function toDeviceMessageRecord(row: MessageRow & { content: string }): DeviceMessageRecord {
  return { ...toMessageRecord(row), content: row.content };
}
