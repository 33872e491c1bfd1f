import { Injectable } from '@nestjs/common';
import { RateLimiter, ACCOUNT_BUCKET_NAMES, type AccountBucketName } from '../../../access/rate-limiting';
import { Clock } from '../../../common/clock';
import { MAX_PAGE_SIZE } from '../../../common/pages';
import { AccountsService } from '../../../modules/accounts';
import { toAccountRecipient } from '../../../modules/event-access';
import { MachinesService } from '../../../modules/machines';
import { PersonalAccessTokensService } from '../../../modules/personal-access-tokens';
import { SessionsService } from '../../../modules/sessions';
import { TurnsService } from '../../../modules/turns';
import { UsageService } from '../../../modules/usage';
import { WebhooksService } from '../../../modules/webhooks';
import { createTimeRange, sumPeriods, toUsagePeriods, type UsagePeriod } from '../usage/usage-periods';

const HOUR_COUNT = 24;

/** State of an account at a glance. Lists longer than a page are counted up to its size. */
export interface AccountOverview {
  machines: { online: number; total: number };
  hasAgentSession: boolean;
  tokenCount: number;
  hasCalled: boolean;
  webhooks: { failing: number; total: number };
  /** Turns of agents that work, and of those that wait for an approval. */
  turns: { running: number; waiting: number };
  /** Calls of the last 24 hours, oldest first. */
  hours: UsagePeriod[];
  limits: { name: AccountBucketName; limit: number; remaining: number }[];
}

/** Reads the state of an account with one query for each part, of one page at most. */
@Injectable()
export class AccountOverviewReader {
  constructor(
    private readonly accounts: AccountsService,
    private readonly machines: MachinesService,
    private readonly sessions: SessionsService,
    private readonly tokens: PersonalAccessTokensService,
    private readonly webhooks: WebhooksService,
    private readonly turns: TurnsService,
    private readonly usage: UsageService,
    private readonly rateLimiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  async readOverview(accountId: string): Promise<AccountOverview> {
    const page = { limit: MAX_PAGE_SIZE };
    const [machines, hasAgentSession, tokens, webhooks, turns, hours, limits] = await Promise.all([
      this.machines.listMachines(accountId, page),
      this.sessions.hasAgentSession(accountId),
      this.tokens.listPersonalAccessTokens(accountId, page),
      this.webhooks.listWebhooks(toAccountRecipient(accountId), page),
      this.turns.countOpenTurns(accountId),
      this.readHours(accountId),
      this.readLimits(accountId),
    ]);
    return {
      machines: { online: machines.data.filter(({ state }) => state === 'online').length, total: machines.data.length },
      hasAgentSession,
      tokenCount: tokens.data.length,
      hasCalled:
        tokens.data.some(({ lastUsedAt }) => lastUsedAt !== null) || sumPeriods(hours, ({ requests }) => requests) > 0,
      webhooks: { failing: webhooks.data.filter(isFailing).length, total: webhooks.data.length },
      turns,
      hours,
      limits,
    };
  }

  private async readHours(accountId: string): Promise<UsagePeriod[]> {
    const timeRange = createTimeRange('hour', HOUR_COUNT, this.clock.now());
    const query = { ...timeRange, groupBy: 'bucket', limit: MAX_PAGE_SIZE } as const;
    return toUsagePeriods(timeRange, (await this.usage.listUsage(accountId, query)).data);
  }

  /** Peeks at the buckets without consuming. */
  private async readLimits(accountId: string): Promise<AccountOverview['limits']> {
    const states = await this.rateLimiter.peekAccountBuckets(accountId, await this.accounts.getPlanLimits(accountId));
    return ACCOUNT_BUCKET_NAMES.map((name) => ({ name, limit: states[name].limit, remaining: states[name].remaining }));
  }
}

const isFailing = ({
  state,
  failingSince,
  disabledReason,
}: {
  state: string;
  failingSince: number | null;
  disabledReason: string | null;
}) => (state === 'active' && failingSince !== null) || (state === 'disabled' && disabledReason !== null);
