import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, DAY, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { toExternalTokenDto } from './personal-access-token.response.dto';
import { PersonalAccessTokensRepository } from './personal-access-tokens.repository';

/** Times before expiry at which a notice is published (docs/protocol/webhooks.md#events). */
const NOTICE_LEAD_TIMES_MS = [7 * DAY, DAY];
const EXPIRY_CHECK_INTERVAL_MS = 2 * SECOND;
const EXPIRY_NOTICE_BATCH_SIZE = 100;

/** Publishes each expiry notice of a token once. The row stores the next notice, so no instance repeats one. */
@Injectable()
export class TokenExpiryPublisher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly publishTask = new PeriodicTask('token expiry notices', EXPIRY_CHECK_INTERVAL_MS, () =>
    this.readOnlyState.isReadOnly ? undefined : this.publishDueNotices(),
  );

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: PersonalAccessTokensRepository,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
  ) {}

  onApplicationBootstrap(): void {
    this.publishTask.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.publishTask.stop();
  }

  /** Returns true when more notices may be due. */
  private publishDueNotices(): Promise<boolean> {
    return this.unitOfWork.runInTransaction(async () => {
      const now = this.clock.currentDate();
      const dueTokens = await this.tokens.lockDueForNotice(now, EXPIRY_NOTICE_BATCH_SIZE);
      for (const row of dueTokens) {
        const data = toExternalTokenDto(row, now.getTime());
        // A token that has expired or was revoked meanwhile needs no notice.
        if (data.state === 'active') {
          this.eventPublisher.publishEvent({ type: 'token.expiring', accountId: row.account_id, data });
        }
        await this.tokens.setNextNoticeTime(row.id, getNextExpiryNoticeTime(row.expires_at, row.expiry_notice_at));
      }
      return dueTokens.length === EXPIRY_NOTICE_BATCH_SIZE;
    });
  }
}

/** Returns when the next notice after `after` is due; null if there is none or the token does not expire. */
export function getNextExpiryNoticeTime(expiresAt: Date | null, after: Date): Date | null {
  if (expiresAt === null) return null;
  const noticeTimes = NOTICE_LEAD_TIMES_MS.map((ms) => expiresAt.getTime() - ms);
  const nextTime = noticeTimes.find((time) => time > after.getTime());
  return nextTime === undefined ? null : new Date(nextTime);
}
