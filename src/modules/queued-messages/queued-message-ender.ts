import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { StorageQuota } from '../accounts';
import { Clock } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { EventPublisher } from '../../core/events';
import { SessionActivityRecorder } from '../sessions';
import type { QueuedMessageState } from './queued-message.entity';
import { toQueuedMessageDto, type QueuedMessageMetadataRow } from './queued-message.response.dto';
import { QueueDispatchRepository } from './queue-dispatch.repository';
import { QueuedMessagesRepository } from './queued-messages.repository';

/** Final state of a message, and what the device has told about it. */
export interface MessageEnd {
  state: Exclude<QueuedMessageState, 'queued' | 'sending'>;
  errorCode?: string;
  turnId?: string | null;
}

/** Who and what is notified of an end. */
export interface EndAudience {
  /** Device that ended the message; null for a token and the service. */
  byDeviceId: string | null;
  hostDeviceId: string | null;
}

/**
 * Ends messages: deletes their text, releases its storage, publishes `queued_message.ended` and lets the session's next
 * message follow. Requires a transaction with the session's lock.
 */
@Injectable()
export class QueuedMessageEnder {
  private readonly endedCounter: Counter;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly queuedMessages: QueuedMessagesRepository,
    private readonly queueDispatch: QueueDispatchRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.endedCounter = new Counter({
      name: 'queued_messages_ended_total',
      help: 'Queued messages that ended, by state',
      labelNames: ['state'],
      registers: [registry],
    });
  }

  async endMessage(row: QueuedMessageMetadataRow, end: MessageEnd, audience: EndAudience): Promise<void> {
    const ended = this.applyEnd(row, end);
    await this.queuedMessages.end(ended);
    await this.scheduleNext(row.session_id, ended.ended_at!);
    this.publishEnd(ended, audience);
    await this.sessionActivityRecorder.recordStoredBytes(row.session_id, -row.size_bytes);
    await this.storageQuota.addUsage(row.account_id, -row.size_bytes);
  }

  /** Publishes the end of a message that is deleted with its session, which also releases its storage. */
  announceEnd(row: QueuedMessageMetadataRow, end: MessageEnd, audience: EndAudience): void {
    this.publishEnd(this.applyEnd(row, end), audience);
  }

  private applyEnd(
    row: QueuedMessageMetadataRow,
    { state, errorCode = null, turnId = null }: Omit<MessageEnd, 'errorCode'> & { errorCode?: string | null },
  ): QueuedMessageMetadataRow {
    return {
      ...row,
      state,
      error_code: errorCode,
      turn_id: turnId,
      version: row.version + 1,
      ended_at: this.clock.currentDate(),
    };
  }

  private async scheduleNext(sessionId: string, now: Date): Promise<void> {
    const nextId = await this.queueDispatch.findHeadId(sessionId, now);
    if (nextId !== undefined) await this.queueDispatch.makeDue(nextId, now);
  }

  private publishEnd(row: QueuedMessageMetadataRow, audience: EndAudience): void {
    this.unitOfWork.afterCommit(() => this.endedCounter.inc({ state: row.state }));
    this.eventPublisher.recordChange({
      type: 'queued_message.ended',
      accountId: row.account_id,
      id: row.session_id,
      ...audience,
      data: toQueuedMessageDto(row),
    });
  }
}
