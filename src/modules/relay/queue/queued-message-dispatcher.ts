import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock, SECOND } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { ReadOnlyState } from '../../../common/read-only-state';
import { ShutdownState } from '../../../common/shutdown-state';
import { isDatabaseUnavailable } from '../../../core/database';
import { addGauge } from '../../../core/metrics';
import {
  QueuedMessageDeliveriesService,
  QueueMessageService,
  type AttemptOutcome,
  type DeliveryAttempt,
  type MessageText,
} from '../../queued-messages';
import { DeviceGateway } from '../../device-gateway';
import { QueuedMessageSender } from './queued-message-sender';

/** How late a message may be whose time comes, and one that another instance could not send. */
const CHECK_INTERVAL_MS = 2 * SECOND;
/** Messages that an instance sends at the same time. */
const MAX_CONCURRENT_ATTEMPTS = 200;
/** Those of one account among them. Each occupies a place for 30 s if its device doesn't answer. */
const MAX_CONCURRENT_ATTEMPTS_PER_ACCOUNT = 10;
/** Delay before an outcome is recorded again that the database did not store. */
const RECORD_RETRY_MS = 500;

/**
 * Sends queued messages when they are due. Every instance runs it, and the database decides which of them sends a
 * message. A new message and a device that connects trigger a run. Otherwise each instance asks the database at an
 * interval, with one statement while nothing is due.
 */
@Injectable()
export class QueuedMessageDispatcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('MessageQueue');
  private readonly attempts = new Set<Promise<void>>();
  private readonly attemptCounts = new Map<string, number>();
  /** Accounts with devices that have connected to this instance since the last run. */
  private connectedAccountIds = new Set<string>();
  private readonly dispatchTask = new PeriodicTask('message queue', CHECK_INTERVAL_MS, () => this.dispatchMessages());

  constructor(
    private readonly queueMessageService: QueueMessageService,
    private readonly deliveries: QueuedMessageDeliveriesService,
    private readonly queuedMessageSender: QueuedMessageSender,
    private readonly deviceGateway: DeviceGateway,
    private readonly shutdownState: ShutdownState,
    private readonly readOnlyState: ReadOnlyState,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    addGauge(
      registry,
      'queued_message_attempts',
      'Queued messages that this instance is sending',
      () => this.attempts.size,
    );
  }

  onApplicationBootstrap(): void {
    this.queueMessageService.committedMessages.subscribe(() => this.dispatchTask.trigger());
    this.deviceGateway.connectedDevices.subscribe(({ device }) => {
      this.connectedAccountIds.add(device.accountId);
      this.dispatchTask.trigger();
    });
    this.dispatchTask.start();
  }

  /** Not earlier: the calls of attempts in progress end while the instance drains. */
  async onApplicationShutdown(): Promise<void> {
    await this.dispatchTask.stop();
    await Promise.all(this.attempts);
  }

  /** While an instance drains, its devices move to others, which send what is due from then on. */
  private get canDispatch(): boolean {
    return !this.shutdownState.isDraining && !this.readOnlyState.isReadOnly;
  }

  private async dispatchMessages(): Promise<void> {
    if (!this.canDispatch) return;
    await this.wakeConnectedAccounts();
    if (!(await this.deliveries.hasDueMessage())) return;
    while (this.attempts.size < MAX_CONCURRENT_ATTEMPTS && this.canDispatch) {
      const step = await this.deliveries.takeDueStep(this.listBusyAccounts());
      if (!step) return;
      if (step.kind === 'send') this.startAttempt(step.attempt, step.text);
      if (step.kind === 'lost') this.queuedMessageSender.recordLostAttempt(step.attempt);
    }
  }

  /** Keeps the accounts for the next run if the database is not available. */
  private async wakeConnectedAccounts(): Promise<void> {
    const accountIds = this.connectedAccountIds;
    if (accountIds.size === 0) return;
    this.connectedAccountIds = new Set();
    try {
      await this.deliveries.wakeAccounts([...accountIds]);
    } catch (error) {
      for (const accountId of accountIds) this.connectedAccountIds.add(accountId);
      throw error;
    }
  }

  /** Returns the accounts that have to wait, so that their silent devices don't delay the messages of others. */
  private listBusyAccounts(): string[] {
    return [...this.attemptCounts]
      .filter(([, count]) => count >= MAX_CONCURRENT_ATTEMPTS_PER_ACCOUNT)
      .map(([accountId]) => accountId);
  }

  private countAttempt(accountId: string, change: 1 | -1): void {
    const count = (this.attemptCounts.get(accountId) ?? 0) + change;
    if (count > 0) this.attemptCounts.set(accountId, count);
    else this.attemptCounts.delete(accountId);
  }

  private startAttempt(attempt: DeliveryAttempt, text: MessageText): void {
    this.countAttempt(attempt.accountId, 1);
    const running = this.runAttempt(attempt, text).finally(() => {
      this.attempts.delete(running);
      this.countAttempt(attempt.accountId, -1);
      // The next message of the session may be due, or there is capacity again.
      this.dispatchTask.trigger();
    });
    this.attempts.add(running);
  }

  private async runAttempt(attempt: DeliveryAttempt, text: MessageText): Promise<void> {
    const outcome = await this.queuedMessageSender.sendMessage(attempt, text);
    try {
      await this.recordOutcome(attempt, outcome);
    } catch (error) {
      // The message remains `sending` until its lease ends. Its outcome is unknown then.
      const { id: queuedMessageId, requestId } = attempt;
      this.logger.error({ queuedMessageId, requestId, err: error as Error }, 'queued message outcome storage failed');
    }
  }

  /** Retries while the database is unavailable, until the lease ends or the instance drains. */
  private async recordOutcome(attempt: DeliveryAttempt, outcome: AttemptOutcome): Promise<void> {
    for (;;) {
      try {
        return await this.deliveries.recordOutcome(attempt, outcome);
      } catch (error) {
        const canRetry = this.clock.currentDate() < attempt.leaseEndsAt && !this.shutdownState.isDraining;
        if (!canRetry || !isDatabaseUnavailable(error)) throw error;
      }
      await sleep(RECORD_RETRY_MS);
    }
  }
}
