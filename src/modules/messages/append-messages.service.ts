import { Injectable } from '@nestjs/common';
import { buildMessageBinding, computeTurnId, findContentFormatViolation } from '@external-api/protocol';
import { StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { bodyViolation, invalidRequestError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { SessionAuthorizer, SessionActivityRecorder, type SessionRow } from '../sessions';
import { TurnMessageRecorder } from '../turns';
import type { MessageEntity } from './message.entity';
import { toMessageDto, type AppendedMessageDto } from './message.response.dto';
import type { NewMessageDto } from './messages.dto';
import { MessagesRepository } from './messages.repository';

/** Bytes charged for a message in addition to its text: other columns and entries in up to five indexes. */
const MESSAGE_ROW_OVERHEAD_BYTES = 512;

/**
 * Appends batches of messages atomically, each `localId` once, `seq` without gaps (docs/protocol/device-api.md#sync).
 */
@Injectable()
export class AppendMessagesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly turnMessageRecorder: TurnMessageRecorder,
    private readonly messages: MessagesRepository,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends a batch. `created` is false when all of its messages already exist.
   * @throws ApiError 404, 403, 400 for content that is malformed or bound to another record and for a turn that the
   *   device has not reported, 403 `plan_limit_exceeded`
   */
  appendMessages(
    device: DevicePrincipal,
    sessionId: string,
    batch: NewMessageDto[],
  ): Promise<{ messages: AppendedMessageDto[]; created: boolean }> {
    return this.unitOfWork.runInTransaction(async () => {
      // The session's lock serializes writers, so that seq has neither gaps nor duplicates.
      const session = await this.sessionAuthorizer.lockSession(device, sessionId);
      validateMessageContents(session, batch);
      await this.validateTurns(device, sessionId, batch);
      const storedMessages = await this.messages.findByLocalIds(
        sessionId,
        batch.map((message) => message.localId),
      );
      const newMessages = batch.filter((message) => !storedMessages.has(message.localId));
      const rows = newMessages.map((message, i) => this.toEntity(session, message, session.last_seq + 1 + i));
      const importedIds = new Set(batch.flatMap(({ localId, imported }) => (imported ? [localId] : [])));
      if (rows.length > 0) await this.storeMessages(device, session, rows, importedIds);
      for (const { id, seq, localId } of rows) storedMessages.set(localId, { id, seq });
      return {
        messages: batch.map(({ localId }) => ({ ...storedMessages.get(localId)!, localId })),
        created: rows.length > 0,
      };
    });
  }

  /** @param importedIds messages that others have read already, elsewhere. Devices still learn that they exist. */
  private async storeMessages(
    device: DevicePrincipal,
    session: SessionRow,
    rows: MessageEntity[],
    importedIds: ReadonlySet<string>,
  ): Promise<void> {
    const bytes = rows.reduce((sum, row) => sum + row.sizeBytes + MESSAGE_ROW_OVERHEAD_BYTES, 0);
    await this.storageQuota.requireCapacity(session.account_id, bytes);
    await this.messages.insert(rows);
    await this.turnMessageRecorder.recordMessages(session.id, rows);
    await this.sessionActivityRecorder.recordMessages(session.id, rows.length, bytes, rows[0]!.createdAt);
    await this.storageQuota.addUsage(session.account_id, bytes);
    this.eventPublisher.recordChange({
      type: 'message.created',
      accountId: session.account_id,
      id: session.id,
      seq: rows.at(-1)!.seq,
      byDeviceId: device.deviceId,
      hostDeviceId: session.host_device_id,
      data: rows.filter(({ localId }) => !importedIds.has(localId)).map(toCreatedMessageDto),
    });
  }

  private async validateTurns(device: DevicePrincipal, sessionId: string, batch: NewMessageDto[]): Promise<void> {
    const turnIds = batch.flatMap(({ turnLocalId }) => (turnLocalId ? [computeTurnId(turnLocalId)] : []));
    const ownTurnIds = await this.turnMessageRecorder.findOwnTurnIds(device.deviceId, sessionId, turnIds);
    const violations = batch.flatMap(({ turnLocalId, imported = false }, i) => {
      if (!turnLocalId || (ownTurnIds.has(computeTurnId(turnLocalId)) && !imported)) return [];
      const path = `/messages/${i}/turnLocalId`;
      const rule = imported
        ? 'must be absent from an imported message'
        : 'must be a turn that this device has reported';
      return [bodyViolation(path, 'not_allowed', rule)];
    });
    if (violations.length > 0) throw invalidRequestError(violations);
  }

  private toEntity(
    session: SessionRow,
    { localId, role, content, turnLocalId }: NewMessageDto,
    seq: number,
  ): MessageEntity {
    return {
      id: generateId('msg'),
      sessionId: session.id,
      seq,
      localId,
      role,
      content,
      turnId: turnLocalId ? computeTurnId(turnLocalId) : null,
      keyId: session.data_key_id,
      sizeBytes: Buffer.byteLength(content),
      createdAt: this.clock.currentDate(),
    };
  }
}

function toCreatedMessageDto({ sessionId, localId, keyId, sizeBytes, turnId, createdAt, ...row }: MessageEntity) {
  return toMessageDto({
    ...row,
    session_id: sessionId,
    local_id: localId,
    key_id: keyId,
    size_bytes: sizeBytes,
    turn_id: turnId,
    created_at: createdAt,
  });
}

function validateMessageContents(session: SessionRow, batch: NewMessageDto[]): void {
  const violations = batch.flatMap(({ content, localId, role }, i) => {
    const place = buildMessageBinding(session.account_id, session.tag, localId, role);
    const violation = findContentFormatViolation(content, session.data_key_id, place);
    return violation ? [bodyViolation(`/messages/${i}/content`, 'invalid_jwe', violation)] : [];
  });
  if (violations.length > 0) throw invalidRequestError(violations);
}
