import { Injectable } from '@nestjs/common';
import { Clock, DAY, HOUR } from '../../common/clock';
import { invalidRequestError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { UsageRecorder } from './usage-recorder';
import { toUsageDto, toUsageShare, type CallerUsage, type OperationUsage, type UsageDto } from './usage.response.dto';
import type { GetUsageQueryDto } from './usage.dto';
import { UsageRepository } from './usage.repository';

const DEFAULT_PERIOD_MS = 30 * DAY;

@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly recorder: UsageRecorder,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 400 for a period that ends before it begins */
  async listUsage(accountId: string, query: GetUsageQueryDto): Promise<Page<UsageDto>> {
    await this.recorder.flushCounts();
    const page = await this.usage.findPage(accountId, query.cursor ? query : this.applyQueryDefaults(query));
    return mapPage(page, toUsageDto);
  }

  /** Returns the number of calls with this token in the last 30 days. */
  async countTokenCalls(accountId: string, tokenId: string): Promise<number> {
    await this.recorder.flushCounts();
    return this.usage.countTokenCalls(accountId, tokenId, new Date(this.clock.now() - DEFAULT_PERIOD_MS));
  }

  /** Returns the tokens and apps with the most calls since then. @param since Unix ms */
  async listCallers(accountId: string, since: number, limit: number): Promise<CallerUsage[]> {
    const rows = await this.usage.sumByCaller(accountId, new Date(since), limit);
    return rows.map((row) => ({ id: row.id, name: row.name, isApp: row.is_app, ...toUsageShare(row) }));
  }

  /** Returns the operations with the most calls since then. @param since Unix ms */
  async listOperations(accountId: string, since: number, limit: number): Promise<OperationUsage[]> {
    const rows = await this.usage.sumByOperation(accountId, new Date(since), limit);
    return rows.map((row) => ({ operation: row.operation, ...toUsageShare(row) }));
  }

  /** Fills in defaults before the cursor is created, so that the period does not change between pages. */
  private applyQueryDefaults(query: GetUsageQueryDto): GetUsageQueryDto {
    const to = query.to ?? this.clock.now() + HOUR;
    const from = query.from ?? to - DEFAULT_PERIOD_MS;
    if (from >= to) {
      const message = '/to must be later than /from.';
      throw invalidRequestError([{ in: 'query', path: '/to', code: 'out_of_range', message }]);
    }
    return { ...query, granularity: query.granularity ?? 'day', from, to };
  }
}
