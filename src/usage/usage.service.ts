import { Injectable } from '@nestjs/common';
import { Clock, DAY, HOUR } from '../common/clock';
import { invalidRequest } from '../common/errors';
import { mapPage, type Page } from '../common/pages';
import { UsageRecorder } from './usage-recorder';
import { toUsageRecord, type UsageRecord } from './usage-record';
import type { UsageQuery } from './usage.dto';
import { UsageRepository } from './usage.repository';

const DEFAULT_SPAN_MS = 30 * DAY;

@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly recorder: UsageRecorder,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 400 for a period that ends before it begins */
  async list(accountId: string, query: UsageQuery): Promise<Page<UsageRecord>> {
    await this.recorder.flush();
    const page = await this.usage.page(accountId, query.cursor ? query : this.withDefaults(query));
    return mapPage(page, toUsageRecord);
  }

  /** A cursor keeps what is filled in here, so that the period does not move between pages. */
  private withDefaults(query: UsageQuery): UsageQuery {
    const to = query.to ?? this.clock.now() + HOUR;
    const from = query.from ?? to - DEFAULT_SPAN_MS;
    if (from >= to) {
      const message = '/to must be later than /from.';
      throw invalidRequest([{ in: 'query', path: '/to', code: 'out_of_range', message }]);
    }
    return { ...query, granularity: query.granularity ?? 'day', from, to };
  }
}
