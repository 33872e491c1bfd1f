import { Injectable } from '@nestjs/common';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { generateId } from '../../common/ids';
import { UnitOfWork } from '../../core/database';
import { InstanceRegistry } from '../../core/instances';
import { SessionActivityRecorder } from '../sessions';
import { DeliveryRightsRepository } from './delivery-rights.repository';
import { QueueDispatchRepository, type DueMessageRow } from './queue-dispatch.repository';
import { QueuedMessageEnder, type MessageEnd } from './queued-message-ender';
import { computeRetryDelayMs, type AttemptOutcome, type RetryReason } from './queued-message-rules';
import type { QueuedMessageMetadataRow } from './queued-message.response.dto';
import { QueuedMessagesRepository } from './queued-messages.repository';
import { QueuedTextCipher, type MessageText } from './queued-text-cipher';

/** Longer than a call can take. */
const LEASE_MS = MINUTE;
/** How often an attempt in progress is checked for the death of its instance. */
const LEASE_CHECK_INTERVAL_MS = 10 * SECOND;
const SUSPENSION_CHECK_INTERVAL_MS = 15 * MINUTE;

/** Attempt to deliver a message, as its call needs it. */
export interface DeliveryAttempt {
  id: string;
  accountId: string;
  sessionId: string;
  /** Id of the call. Each attempt has its own, since a device's instance runs a call with the same id only once. */
  requestId: string;
  tokenId: string | null;
  appId: string | null;
  callerDeviceId: string | null;
  /** Machines that the token is limited to; null for all. */
  machineIds: readonly string[] | null;
  /** Until then, the outcome can be recorded. */
  leaseEndsAt: Date;
}

/** A due step: a message to send, an attempt whose outcome will never be known, or nothing that leaves this module. */
export type DueStep =
  | { kind: 'send'; attempt: DeliveryAttempt; text: MessageText }
  | { kind: 'lost'; attempt: DeliveryAttempt }
  | { kind: 'done' };

/** Decides what is sent when, for the relay module. */
@Injectable()
export class QueuedMessageDeliveriesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly queueDispatch: QueueDispatchRepository,
    private readonly queuedMessages: QueuedMessagesRepository,
    private readonly queuedMessageEnder: QueuedMessageEnder,
    private readonly deliveryRights: DeliveryRightsRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly queuedTextCipher: QueuedTextCipher,
    private readonly instanceRegistry: InstanceRegistry,
    private readonly clock: Clock,
  ) {}

  hasDueMessage(): Promise<boolean> {
    return this.queueDispatch.hasDueMessage(this.clock.currentDate());
  }

  /** Makes messages due that wait for a device of these accounts, because one has connected. */
  wakeAccounts(accountIds: readonly string[]): Promise<void> {
    return this.queueDispatch.wakeAccounts(accountIds, this.clock.currentDate());
  }

  /**
   * Takes the next due step. A message to send is `sending` when this resolves: whatever happens then, it is not sent a
   * second time unless `recordOutcome` says that it did not reach a device. Returns null if nothing is due.
   * @param exceptAccountIds accounts whose messages wait
   */
  takeDueStep(exceptAccountIds: readonly string[]): Promise<DueStep | null> {
    return this.unitOfWork.runInTransaction(async () => {
      const now = this.clock.currentDate();
      const row = await this.queueDispatch.lockNextDue(now, exceptAccountIds);
      if (!row) return null;
      if (row.ended_at !== null || row.due_at > now) return { kind: 'done' };
      return row.state === 'sending' ? this.checkLease(row, now) : this.startAttempt(row, now);
    });
  }

  /** Records how an attempt ended. Does nothing if the message has ended meanwhile. */
  recordOutcome(attempt: DeliveryAttempt, outcome: AttemptOutcome): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const { accountId, sessionId, id, requestId } = attempt;
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      const row = session && (await this.queuedMessages.find(accountId, sessionId, id));
      if (row?.state !== 'sending' || row.request_id !== requestId) return;
      const hostDeviceId = session!.host_device_id;
      if (outcome.kind !== 'not_delivered') {
        const { kind: state, ...details } = outcome;
        return this.endMessage({ ...row, host_device_id: hostDeviceId }, { state, ...details });
      }
      if (await this.queueDispatch.requeue(id, this.computeNextAttempt(row, outcome.reason)))
        return this.makeEarlierMessageDue(id, sessionId);
      // The session ended while the message was being sent, so it must not wait for another attempt.
      await this.endMessage({ ...row, host_device_id: hostDeviceId }, { state: 'cancelled' });
    });
  }

  /** A message at an earlier place whose time came during the attempt was postponed to its expiry because of it. */
  private async makeEarlierMessageDue(requeuedId: string, sessionId: string): Promise<void> {
    const now = this.clock.currentDate();
    const headId = await this.queueDispatch.findHeadId(sessionId, now);
    if (headId !== undefined && headId !== requeuedId) await this.queueDispatch.makeDue(headId, now);
  }

  private computeNextAttempt(row: QueuedMessageMetadataRow, reason: RetryReason): Date {
    const now = this.clock.now();
    // The device may have connected after the attempt had looked for it.
    const hasConnected = row.woken && reason === 'no_online_device';
    const retryAt = hasConnected ? now : now + computeRetryDelayMs(row.attempts, reason);
    return new Date(Math.min(retryAt, row.expires_at.getTime()));
  }

  private async checkLease(row: DueMessageRow, now: Date): Promise<DueStep> {
    const isSenderAlive = row.sender_instance !== null && (await this.instanceRegistry.isAlive(row.sender_instance));
    if (isSenderAlive && row.lease_ends_at! > now) {
      await this.queueDispatch.postpone(row.id, new Date(now.getTime() + LEASE_CHECK_INTERVAL_MS));
      return { kind: 'done' };
    }
    await this.endMessage(row, { state: 'unknown' });
    return { kind: 'lost', attempt: toAttempt(row, row.request_id!, row.lease_ends_at!, null) };
  }

  private async startAttempt(row: DueMessageRow, now: Date): Promise<DueStep> {
    if (row.session_state !== 'active') return this.endWithoutAttempt(row, { state: 'cancelled' });
    if (row.expires_at <= now) return this.endWithoutAttempt(row, { state: 'expired' });
    const rights = await this.deliveryRights.lockSendingRights(row, now);
    if (!rights) return this.endWithoutAttempt(row, { state: 'cancelled' });
    // The end of the message before it makes it due again.
    if ((await this.queueDispatch.findHeadId(row.session_id, now)) !== row.id)
      return this.postpone(row, row.expires_at);
    if (await this.deliveryRights.isAccountSuspended(row.account_id)) {
      return this.postpone(row, new Date(now.getTime() + SUSPENSION_CHECK_INTERVAL_MS));
    }
    const text = this.queuedTextCipher.decryptText(row.sealed_text!, row.id);
    if (text === null) return this.endWithoutAttempt(row, { state: 'failed', errorCode: 'content_unreadable' });
    const requestId = generateId('req');
    const leaseEndsAt = new Date(now.getTime() + LEASE_MS);
    await this.queueDispatch.markSending(row.id, {
      requestId,
      senderInstance: this.instanceRegistry.ownInstanceId,
      leaseEndsAt,
      dueAt: new Date(now.getTime() + LEASE_CHECK_INTERVAL_MS),
    });
    return { kind: 'send', attempt: toAttempt(row, requestId, leaseEndsAt, rights.machineIds), text };
  }

  private async endWithoutAttempt(row: DueMessageRow, end: MessageEnd): Promise<DueStep> {
    await this.endMessage(row, end);
    return { kind: 'done' };
  }

  private endMessage(
    { host_device_id: hostDeviceId, ...row }: QueuedMessageMetadataRow & { host_device_id: string | null },
    end: MessageEnd,
  ): Promise<void> {
    return this.queuedMessageEnder.endMessage(row, end, { byDeviceId: null, hostDeviceId });
  }

  private async postpone(row: DueMessageRow, dueAt: Date): Promise<DueStep> {
    await this.queueDispatch.postpone(row.id, dueAt < row.expires_at ? dueAt : row.expires_at);
    return { kind: 'done' };
  }
}

function toAttempt(
  row: QueuedMessageMetadataRow,
  requestId: string,
  leaseEndsAt: Date,
  machineIds: readonly string[] | null,
): DeliveryAttempt {
  const { id, account_id: accountId, session_id: sessionId, token_id: tokenId, app_id: appId } = row;
  const callerDeviceId = row.caller_device_id;
  return { id, accountId, sessionId, requestId, tokenId, appId, callerDeviceId, machineIds, leaseEndsAt };
}
