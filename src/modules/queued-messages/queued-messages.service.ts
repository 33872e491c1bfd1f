import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../accounts';
import type { Principal } from '../../access/auth';
import { ApiError, notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder, SessionEndNotifier, SessionsService, type SessionEnd } from '../sessions';
import { QueuedMessageEnder } from './queued-message-ender';
import { toQueuedMessageDto, type QueuedMessageDto } from './queued-message.response.dto';
import type { ListQueuedMessagesQueryDto } from './queued-messages.dto';
import { QueuedMessagesRepository } from './queued-messages.repository';
import { QueuedTextCipher } from './queued-text-cipher';

/** Lists and cancels queued messages. */
@Injectable()
export class QueuedMessagesService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly queuedMessages: QueuedMessagesRepository,
    private readonly queuedMessageEnder: QueuedMessageEnder,
    private readonly sessions: SessionsService,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly sessionEndNotifier: SessionEndNotifier,
    private readonly queuedTextCipher: QueuedTextCipher,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.sessionEndNotifier.onSessionEnd((end) => this.endMessagesOfSession(end));
    this.accountExporter.registerSection({
      name: 'queuedMessages',
      scanRows: (accountId) => this.queuedMessages.scanByAccount(accountId),
      toRecord: (row) => {
        // Messages that have ended have no text any more.
        const text = row.sealed_text && this.queuedTextCipher.decryptText(row.sealed_text, row.id);
        return { ...toQueuedMessageDto(row), content: null, ...text };
      },
    });
  }

  /** @throws ApiError 404 */
  async listQueuedMessages(
    caller: Principal,
    sessionId: string,
    query: ListQueuedMessagesQueryDto,
  ): Promise<Page<QueuedMessageDto>> {
    await this.sessions.getSessionRoute(caller.accountId, sessionId);
    return mapPage(await this.queuedMessages.findPage(sessionId, query), toQueuedMessageDto);
  }

  /** Cancels a message that waits. @throws ApiError 404, 409 `conflict` for one that is being sent or has ended */
  cancelQueuedMessage(caller: Principal, sessionId: string, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(caller.accountId, sessionId);
      if (!session) throw notFoundError('session');
      const row = await this.queuedMessages.find(caller.accountId, sessionId, id);
      if (!row) throw notFoundError('queued message');
      if (row.state === 'cancelled') return;
      if (row.state === 'sending') throw conflictError('The message is being sent.');
      if (row.state !== 'queued') throw conflictError(`The message is ${row.state}. It can no longer be cancelled.`);
      const byDeviceId = caller.kind === 'device' ? caller.deviceId : null;
      const audience = { byDeviceId, hostDeviceId: session.host_device_id };
      await this.queuedMessageEnder.endMessage(row, { state: 'cancelled' }, audience);
    });
  }

  /**
   * Cancels what waits in a session that ends. A message that is being sent has its own outcome, unless the session is
   * deleted: then the outcome is unknown. Its text is deleted, so that it can't be sent again, even if the session is
   * active again before its outcome is known.
   */
  private async endMessagesOfSession({ session, isDeleted, byDeviceId }: SessionEnd): Promise<void> {
    const audience = { byDeviceId, hostDeviceId: session.host_device_id };
    for (const row of await this.queuedMessages.findOpen(session.id)) {
      const state = row.state === 'sending' ? 'unknown' : 'cancelled';
      if (isDeleted) this.queuedMessageEnder.announceEnd(row, { state }, audience);
      else if (row.state === 'queued') await this.queuedMessageEnder.endMessage(row, { state }, audience);
      else await this.queuedMessages.deleteText(row.id);
    }
  }
}

function conflictError(detail: string): ApiError {
  return new ApiError('conflict', detail);
}
