import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, SECOND } from '../common/clock';
import { Ticker } from '../common/ticker';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { nextExpiryNotice } from './expiry-notice';
import { toExternalTokenRecord } from './external-token-record';
import { ExternalTokensRepository } from './external-tokens.repository';

const EVERY_MS = 2 * SECOND;
const BATCH = 100;

/** Tells that tokens are about to end, once for each moment; a row says which is next, so no instance repeats it. */
@Injectable()
export class ExpiryNotices implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly ticker = new Ticker('expiry notices', EVERY_MS, () => this.tell());

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: ExternalTokensRepository,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.ticker.stop();
  }

  /** True when there may be more. */
  private tell(): Promise<boolean> {
    return this.unitOfWork.run(async () => {
      const now = this.clock.date();
      const due = await this.tokens.dueForNotice(now, BATCH);
      for (const { expiry_notice_at: noticeAt, ...row } of due) {
        const data = toExternalTokenRecord(row, now.getTime());
        // One that ended meanwhile, or was revoked, needs no warning.
        if (data.state === 'active') {
          this.changes.publish({ type: 'token.expiring', accountId: row.account_id, data });
        }
        await this.tokens.setNotice(row.id, nextExpiryNotice(row.expires_at, noticeAt));
      }
      return due.length === BATCH;
    });
  }
}
