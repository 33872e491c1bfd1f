import { Get, Query } from '@nestjs/common';
import { AccountsService } from '../../../modules/accounts';
import { BrowserOnly } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { MAX_PAGE_SIZE } from '../../../common/pages';
import { Config } from '../../../core/config';
import { RateLimiter, ACCOUNT_BUCKET_NAMES } from '../../../access/rate-limiting';
import { UsageService } from '../../../modules/usage';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import type { BucketUsage } from './rate-limits-section';
import { toUsagePeriods, createTimeRange, type UsagePeriod, type UsageTimeRange } from './usage-periods';
import { UsagePage } from './usage-page';
import { SHARED_PERIODS, UsageQueryDto } from './usage-ranges';
import { MAX_SHARES } from './usage-shares';

const HOUR_COUNT = 48;
const DAY_COUNT = 30;

/** Shows an account's API usage and rate limits (docs/guide/console.md#usage). */
@ConsoleController('console/usage')
export class UsagePageController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usage: UsageService,
    private readonly rateLimiter: RateLimiter,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  @BrowserOnly()
  async showUsage(
    @CurrentViewer() { accountId }: Viewer,
    @Query() { range = 'month' }: UsageQueryDto,
  ): Promise<HtmlPage> {
    const now = this.clock.now();
    const [hours, days] = await Promise.all([
      this.loadPeriods(accountId, createTimeRange('hour', HOUR_COUNT, now)),
      this.loadPeriods(accountId, createTimeRange('day', DAY_COUNT, now)),
    ]);
    const { granularity, count } = SHARED_PERIODS[range];
    const sharedPeriods = (granularity === 'hour' ? hours : days).slice(-count);
    const { start } = sharedPeriods[0]!;
    const [callers, operations] = await Promise.all([
      this.usage.listCallers(accountId, start, MAX_SHARES),
      this.usage.listOperations(accountId, start, MAX_SHARES),
    ]);
    const buckets = await this.loadBuckets(accountId, days.at(-1)!);
    const { publicUrl } = this.config;
    const shares = { range, periods: sharedPeriods, callers, operations };
    const content = <UsagePage {...{ hours, days, shares, buckets, publicUrl }} />;
    return new HtmlPage(content, { title: 'Usage', script: 'charts.js' });
  }

  /** Reads all rows at once: one per bucket and period, fewer than the maximum page size. */
  private async loadPeriods(accountId: string, timeRange: UsageTimeRange): Promise<UsagePeriod[]> {
    const { data } = await this.usage.listUsage(accountId, {
      ...timeRange,
      groupBy: 'bucket',
      limit: MAX_PAGE_SIZE,
    });
    return toUsagePeriods(timeRange, data);
  }

  /** Peeks at the buckets without consuming, under the account's own limits if it has any. */
  private async loadBuckets(accountId: string, today: UsagePeriod): Promise<BucketUsage[]> {
    const limits = await this.accounts.getPlanLimits(accountId);
    const states = await this.rateLimiter.peekAccountBuckets(accountId, limits);
    return ACCOUNT_BUCKET_NAMES.map((name) => ({ ...states[name], name, today: today.calls[name] }));
  }
}
