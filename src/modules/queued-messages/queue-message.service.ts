import { Injectable } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { AccountsService, countRowBytes, StorageQuota } from '../accounts';
import { identifyCaller, type Principal } from '../../access/auth';
import { IdempotentWritesService, type IdempotentCall } from '../../access/idempotency';
import { Clock } from '../../common/clock';
import { invalidRequestError, notFoundError, planLimitExceededError, type ApiError } from '../../common/errors';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder, sessionNotActiveError } from '../sessions';
import { resolveSchedule, type DeliverySchedule } from './queued-message-rules';
import type { MessageDeliveryDto } from './queued-messages.dto';
import { QueuedMessagesRepository } from './queued-messages.repository';
import { QueuedTextCipher, type MessageText } from './queued-text-cipher';

export const MAX_QUEUED_PER_SESSION = 100;
export const MAX_QUEUED_PER_ACCOUNT = 1_000;

/** A message to queue. */
export interface MessageToQueue {
  caller: Principal;
  sessionId: string;
  /** Id of the caller's request, from which the id of the message is made. */
  requestId: string;
  text: MessageText;
  /** Checks the text against stored records. A repeated call is replayed without it. */
  checkText: () => Promise<void>;
  delivery: MessageDeliveryDto;
}

/** Body of the reply to a caller whose message is queued. */
export interface QueuedReply {
  requestId: string;
  result: { queued: true; queuedMessageId: string };
}

/** Stores messages for later delivery (docs/protocol/external-api.md#queued-messages). */
@Injectable()
export class QueueMessageService {
  private readonly committedSubject = new Subject<void>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotentWritesService: IdempotentWritesService,
    private readonly queuedMessages: QueuedMessagesRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly accounts: AccountsService,
    private readonly storageQuota: StorageQuota,
    private readonly queuedTextCipher: QueuedTextCipher,
    private readonly clock: Clock,
  ) {}

  /** Emits when this instance has queued a message. */
  get committedMessages(): Observable<void> {
    return this.committedSubject;
  }

  /**
   * Queues the message once per `Idempotency-Key`.
   * @param idempotentCall null without a key
   * @throws ApiError 404, 409 `session_not_active`, 400 for times that do not fit, 403 `plan_limit_exceeded`, and
   *   idempotency conflicts
   */
  queueMessage(
    message: MessageToQueue,
    idempotentCall: IdempotentCall | null,
  ): Promise<{ body: QueuedReply; replayed: boolean }> {
    return this.idempotentWritesService.runOnce<QueuedReply>(
      idempotentCall,
      () => this.insertMessage(message),
      (body) => ({ status: 202, body, headers: {} }),
    );
  }

  private async insertMessage(message: MessageToQueue): Promise<QueuedReply> {
    const { caller, sessionId, requestId, text, checkText, delivery } = message;
    const { accountId } = caller;
    const now = this.clock.currentDate();
    await checkText();
    const schedule = requireSchedule(delivery, now);
    // Both locks together make the counts exact. The session's comes first, as everywhere.
    const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
    if (!session) throw notFoundError('session');
    if (session.state !== 'active') throw sessionNotActiveError();
    await this.accounts.lockAccount(accountId);
    await this.requireRoom(accountId, sessionId);
    const id = requestId.replace(/^req_/, 'qmsg_');
    const { attachments = [], ...words } = text;
    const sizeBytes = countRowBytes(...[words, ...attachments].flatMap((part) => Object.values(part)));
    await this.storageQuota.requireCapacity(accountId, sizeBytes);
    await this.queuedMessages.insert({
      id,
      accountId,
      sessionId,
      ...identifyCaller(caller),
      sealedText: this.queuedTextCipher.encryptText(text, id),
      sizeBytes,
      ...schedule,
      dueAt: schedule.notBefore ?? now,
      createdAt: now,
    });
    await this.sessionActivityRecorder.recordStoredBytes(sessionId, sizeBytes);
    await this.storageQuota.addUsage(accountId, sizeBytes);
    this.unitOfWork.afterCommit(() => this.committedSubject.next());
    return { requestId, result: { queued: true, queuedMessageId: id } };
  }

  private async requireRoom(accountId: string, sessionId: string): Promise<void> {
    const { ofAccount, ofSession } = await this.queuedMessages.countOpen(accountId, sessionId);
    if (ofSession >= MAX_QUEUED_PER_SESSION) throw queueFullError('A session', MAX_QUEUED_PER_SESSION);
    if (ofAccount >= MAX_QUEUED_PER_ACCOUNT) throw queueFullError('An account', MAX_QUEUED_PER_ACCOUNT);
  }
}

function queueFullError(owner: string, limit: number): ApiError {
  return planLimitExceededError(`${owner} can have at most ${limit} queued messages.`, limit);
}

function requireSchedule(delivery: MessageDeliveryDto, now: Date): DeliverySchedule {
  const resolved = resolveSchedule(delivery, now.getTime());
  if ('violations' in resolved) throw invalidRequestError(resolved.violations);
  return resolved.schedule;
}
