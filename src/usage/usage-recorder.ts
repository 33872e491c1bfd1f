import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AccountsService } from '../accounts';
import type { TokenPrincipal } from '../auth';
import { Clock, HOUR } from '../common/clock';
import { UnitOfWork } from '../persistence';
import type { UsageCountEntity } from './usage-count.entity';
import { UsageRepository } from './usage.repository';

const FLUSH_MS = 500;

/** One call, as it ended. */
export interface CountedCall {
  caller: TokenPrincipal;
  bucket: string;
  operation: string;
  status: number;
}

/**
 * Adds calls up in memory and writes the sums behind them: no call waits, a crash loses at most a second, a clean
 * stop nothing.
 */
@Injectable()
export class UsageRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Usage');
  private counts = new Map<string, UsageCountEntity>();
  private flushing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsService,
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  count({ caller, bucket, operation, status }: CountedCall): void {
    const hour = Math.floor(this.clock.now() / HOUR) * HOUR;
    this.merge({
      accountId: caller.accountId,
      hour: new Date(hour),
      bucket,
      tokenId: caller.tokenId,
      operation,
      requests: 1,
      errors: status >= 400 ? 1 : 0,
      rateLimited: status === 429 ? 1 : 0,
    });
  }

  /** Until everything counted so far is written, or could not be. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  private async write(): Promise<void> {
    if (this.counts.size === 0) return;
    const batch = [...this.counts.values()];
    this.counts = new Map();
    try {
      await this.unitOfWork.run(async () => {
        const standing = await this.accounts.holdStanding(batch.map((count) => count.accountId));
        await this.usage.add(batch.filter((count) => standing.has(count.accountId)));
      });
    } catch (error) {
      for (const count of batch) this.merge(count);
      this.logger.warn({ rows: batch.length, reason: (error as Error).message }, 'usage waits to be written');
    }
  }

  private merge(count: UsageCountEntity): void {
    const { accountId, hour, bucket, tokenId, operation } = count;
    const key = [accountId, hour.getTime(), bucket, tokenId, operation].join(' ');
    const sum = this.counts.get(key);
    if (!sum) {
      this.counts.set(key, count);
      return;
    }
    sum.requests += count.requests;
    sum.errors += count.errors;
    sum.rateLimited += count.rateLimited;
  }
}
