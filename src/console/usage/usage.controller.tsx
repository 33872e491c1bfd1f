import { Get } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import { SessionOnly } from '../../auth';
import { Clock } from '../../common/clock';
import { MAX_PAGE_SIZE } from '../../common/pages';
import { Config } from '../../config';
import { RateLimits } from '../../rate-limit';
import { UsageService } from '../../usage';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page } from '../html/page';
import type { Viewer } from '../html/viewer';
import { ACCOUNT_BUCKETS } from './account-buckets';
import type { BucketState } from './limits';
import { periodsOf, spanOf, type Period, type Span } from './periods';
import { UsagePage } from './usage-page';

const HOURS = 48;
const DAYS = 30;

/** How much of the API an account uses, and may use (console.md, Usage). */
@ConsoleController('console/usage')
export class UsagePageController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usage: UsageService,
    private readonly limits: RateLimits,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  @SessionOnly()
  async show(@CurrentViewer() { accountId }: Viewer): Promise<Page> {
    const now = this.clock.now();
    const [hours, days] = await Promise.all([
      this.periods(accountId, spanOf('hour', HOURS, now)),
      this.periods(accountId, spanOf('day', DAYS, now)),
    ]);
    const states = await this.states(accountId, days.at(-1)!);
    const content = <UsagePage hours={hours} days={days} states={states} publicUrl={this.config.publicUrl} />;
    return new Page(content, { title: 'Usage' });
  }

  /** A span has fewer rows than a page: one for each bucket and period. */
  private async periods(accountId: string, span: Span): Promise<Period[]> {
    const { data } = await this.usage.list(accountId, { ...span, groupBy: 'bucket', limit: MAX_PAGE_SIZE });
    return periodsOf(span, data);
  }

  /** Looked at, not drawn on; under the account's own limits where it has any. */
  private async states(accountId: string, today: Period): Promise<BucketState[]> {
    const { metadataPerMinute: metadata, relayPerMinute: relay } = await this.accounts.limitsOf(accountId);
    const limits = { metadata, relay };
    return Promise.all(
      ACCOUNT_BUCKETS.map(async (name) => {
        const { state } = await this.limits.look(name, accountId, limits[name]);
        return { ...state, name, today: today.calls[name] };
      }),
    );
  }
}
