import { Injectable } from '@nestjs/common';
import { Storage } from '../accounts';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { invalidRequest } from '../common/errors';
import { newId } from '../common/ids';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { HostedSessions, SessionLog, type SessionRow } from '../sessions';
import { contentFault, messagePlace } from '../wire';
import type { MessageEntity } from './message.entity';
import { toMessageRecord } from './message-record';
import type { NewMessageDto } from './messages.dto';
import { MessagesRepository } from './messages.repository';

/** Where a message of the batch stands, in the batch's order. */
export interface AppendedMessage {
  id: string;
  seq: number;
  localId: string;
}

/** Appends a batch: all of it or nothing, each `localId` once, `seq` without gaps (device-api.md, Sync). */
@Injectable()
export class AppendMessagesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: HostedSessions,
    private readonly log: SessionLog,
    private readonly messages: MessagesRepository,
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /**
   * `created` is false when every message was there already.
   * @throws ApiError 404, 403, 400 for content out of form or place, 403 `plan_limit_exceeded`
   */
  append(
    device: DevicePrincipal,
    sessionId: string,
    batch: NewMessageDto[],
  ): Promise<{ messages: AppendedMessage[]; created: boolean }> {
    return this.unitOfWork.run(async () => {
      // The session's lock makes writers follow each other, so that seq has neither gaps nor repeats.
      const session = await this.sessions.lock(device, sessionId);
      requireInPlace(session, batch);
      const standing = await this.messages.findByLocalIds(
        sessionId,
        batch.map((message) => message.localId),
      );
      const fresh = batch.filter((message) => !standing.has(message.localId));
      const rows = fresh.map((message, i) => this.toEntity(session, message, session.last_seq + 1 + i));
      if (rows.length > 0) await this.store(device, session, rows);
      for (const { id, seq, localId } of rows) standing.set(localId, { id, seq });
      return {
        messages: batch.map(({ localId }) => ({ ...standing.get(localId)!, localId })),
        created: rows.length > 0,
      };
    });
  }

  private async store(device: DevicePrincipal, session: SessionRow, rows: MessageEntity[]): Promise<void> {
    const bytes = rows.reduce((sum, row) => sum + row.sizeBytes, 0);
    await this.messages.insert(rows);
    await this.log.append(session.id, rows.length, bytes, rows[0]!.createdAt);
    await this.storage.add(session.account_id, bytes);
    this.changes.record({
      type: 'message.created',
      accountId: session.account_id,
      id: session.id,
      seq: rows.at(-1)!.seq,
      byDeviceId: device.deviceId,
      data: rows.map(recordOf),
    });
  }

  private toEntity(session: SessionRow, message: NewMessageDto, seq: number): MessageEntity {
    return {
      id: newId('msg'),
      sessionId: session.id,
      seq,
      ...message,
      keyId: session.data_key_id,
      sizeBytes: Buffer.byteLength(message.content),
      createdAt: this.clock.date(),
    };
  }
}

function recordOf({ sessionId, localId, keyId, sizeBytes, createdAt, ...row }: MessageEntity) {
  return toMessageRecord({
    ...row,
    session_id: sessionId,
    local_id: localId,
    key_id: keyId,
    size_bytes: sizeBytes,
    created_at: createdAt,
  });
}

function requireInPlace(session: SessionRow, batch: NewMessageDto[]): void {
  const faults = batch.flatMap(({ content, localId, role }, i) => {
    const place = messagePlace(session.account_id, session.tag, localId, role);
    const fault = contentFault(content, session.data_key_id, place);
    const path = `/messages/${i}/content`;
    return fault ? [{ in: 'body' as const, path, code: 'invalid_jwe', message: `${path} ${fault}.` }] : [];
  });
  if (faults.length > 0) throw invalidRequest(faults);
}
