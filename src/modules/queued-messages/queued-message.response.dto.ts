import { ApiProperty } from '@nestjs/swagger';
import { buildIdExample, buildIdPattern, CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import { QUEUED_MESSAGE_STATES, type QueuedMessageEntity, type QueuedMessageState } from './queued-message.entity';
import { EventData } from '../../core/events';

/** A row of `queued_messages`. */
export type QueuedMessageRow = RowOf<QueuedMessageEntity>;

/** Row without its text. */
export type QueuedMessageMetadataRow = Omit<QueuedMessageRow, 'sealed_text'>;

/** Queued message as callers see it, without its text (docs/protocol/external-api.md#queued-messages). */
@EventData()
export class QueuedMessageDto {
  @IdField('qmsg')
  id!: string;

  @ObjectTypeField('queued_message')
  object!: 'queued_message';

  @IdField('ses')
  sessionId!: string;

  /** Call of the last attempt to deliver the message; null before the first one. */
  @ApiProperty({ type: String, nullable: true, pattern: buildIdPattern('req'), example: buildIdExample('req') })
  requestId!: string | null;

  /** Turn that the message began; null unless the device has told. */
  @ApiProperty({ type: String, nullable: true, pattern: buildIdPattern('turn'), example: buildIdExample('turn') })
  turnId!: string | null;

  /** Number of changes, from 1. */
  @CountField(3, 1)
  version!: number;

  @ApiProperty({ type: String, enum: QUEUED_MESSAGE_STATES, example: 'delivered' })
  state!: QueuedMessageState;

  /** Why the delivery failed, if it did: the device's code, or `content_unreadable`. */
  @ApiProperty({ type: String, nullable: true, example: null })
  errorCode!: string | null;

  /** Attempts to deliver the message, including one in progress. */
  @CountField(1)
  attempts!: number;

  /** Earliest time of the delivery; null: as soon as possible. */
  @UnixTimeField(null)
  notBefore!: number | null;

  /** From then on the message is not delivered. */
  @UnixTimeField(1_788_859_800_000)
  expiresAt!: number;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  endedAt!: number | null;
}

export function toQueuedMessageDto(row: QueuedMessageMetadataRow): QueuedMessageDto {
  return {
    id: row.id,
    object: 'queued_message',
    sessionId: row.session_id,
    requestId: row.request_id,
    turnId: row.turn_id,
    version: row.version,
    state: row.state,
    errorCode: row.error_code,
    attempts: row.attempts,
    notBefore: row.not_before?.getTime() ?? null,
    expiresAt: row.expires_at.getTime(),
    createdAt: row.created_at.getTime(),
    endedAt: row.ended_at?.getTime() ?? null,
  };
}
