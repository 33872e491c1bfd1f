import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AccountsService } from '../accounts';
import type { TokenPrincipal } from '../../access/auth';
import { BufferedWriter } from '../../common/buffered-writer';
import { Clock, HOUR } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import type { UsageCountEntity } from './usage-count.entity';
import { UsageRepository } from './usage.repository';

const USAGE_FLUSH_INTERVAL_MS = 500;
/** Rows of one statement. After an outage of hours, one with all of them could exceed its timeout forever. */
const MAX_BATCH_ROWS = 500;
/** Some 20 MB. */
const MAX_BUFFERED_ROWS = 50_000;

/** Completed call. */
export interface CountedCall {
  caller: TokenPrincipal;
  bucket: string;
  operation: string;
  status: number;
}

/** Sums up calls in memory and writes the sums in the background. A crash loses at most a second of counts. */
@Injectable()
export class UsageRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly writer = new BufferedWriter<UsageCountEntity>('usage', {
    writeRows: (counts) => this.writeCounts(counts),
    flushIntervalMs: USAGE_FLUSH_INTERVAL_MS,
    maxBatchRows: MAX_BATCH_ROWS,
    maxBufferedRows: MAX_BUFFERED_ROWS,
    merging: { getKey: getCountKey, addTo: addToCount },
  });

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsService,
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.writer.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.writer.stop();
  }

  recordCall({ caller, bucket, operation, status }: CountedCall): void {
    const hour = Math.floor(this.clock.now() / HOUR) * HOUR;
    this.writer.add({
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

  /** Resolves when all calls counted so far are written or their write has failed. */
  async flushCounts(): Promise<void> {
    await this.writer.flush();
  }

  /** Leaves out accounts that were deleted meanwhile, which would make each retry fail. */
  private writeCounts(counts: UsageCountEntity[]): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const activeAccountIds = await this.accounts.lockExistingAccounts(counts.map((count) => count.accountId));
      await this.usage.addCounts(counts.filter((count) => activeAccountIds.has(count.accountId)));
    });
  }
}

function getCountKey({ accountId, hour, bucket, tokenId, operation }: UsageCountEntity): string {
  return [accountId, hour.getTime(), bucket, tokenId, operation].join(' ');
}

function addToCount(sum: UsageCountEntity, count: UsageCountEntity): void {
  sum.requests += count.requests;
  sum.errors += count.errors;
  sum.rateLimited += count.rateLimited;
}
