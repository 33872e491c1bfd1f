import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Subscription } from 'rxjs';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from '../../core/config';
import { PushNoticeRecorder } from './push-notice-recorder';
import { PushNoticesRepository } from './push-notices.repository';
import { PushSender } from './push-sender';

/** Messages that an instance sends at a time. A slow push service delays those to others only beyond it. */
const MAX_CONCURRENT = 50;
/** Longer than an attempt takes (WEBHOOK_TIMEOUT_SECONDS). */
const LEASE_MS = MINUTE;

/** Sends due notices. Every instance runs it: each notice is leased to one of them, and returns if that one dies. */
@Injectable()
export class PushDispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task = new PeriodicTask('push notices', SECOND, () => this.sendDueNotices());
  private readonly sending = new Set<Promise<void>>();
  private recorded: Subscription | undefined;

  constructor(
    private readonly config: Config,
    private readonly notices: PushNoticesRepository,
    private readonly pushSender: PushSender,
    private readonly pushNoticeRecorder: PushNoticeRecorder,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
    private readonly shutdownState: ShutdownState,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.push) return;
    this.shutdownState.addBackgroundWork(async () => {
      await this.task.stop();
      await Promise.all(this.sending);
    });
    this.recorded = this.pushNoticeRecorder.committedNotices.subscribe(() => this.task.trigger());
    this.task.start();
  }

  /** Starts no more messages. */
  onModuleDestroy(): void {
    this.recorded?.unsubscribe();
    void this.task.stop();
  }

  /** Does not wait for the messages: another run sends more while they are on their way. */
  private async sendDueNotices(): Promise<void> {
    const limit = MAX_CONCURRENT - this.sending.size;
    if (limit === 0 || this.readOnlyState.isReadOnly) return;
    const now = this.clock.now();
    const due = await this.notices.takeDue(new Date(now), new Date(now + LEASE_MS), limit);
    for (const notice of due) {
      // A failed statement leaves the lease, after which the notice is due again.
      const attempt = this.pushSender
        .sendNotice(notice)
        .catch(() => undefined)
        .finally(() => {
          this.sending.delete(attempt);
          if (this.sending.size === MAX_CONCURRENT - 1) this.task.trigger();
        });
      this.sending.add(attempt);
    }
  }
}
