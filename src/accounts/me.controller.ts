import { Controller, Get, Req } from '@nestjs/common';
import type { Request } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { bare, Operation } from '../common/http';
import { Config } from '../config';
import { Deprecations } from '../deprecations';
import { RateLimits } from '../rate-limit';
import { MeRecord } from './me-record';
import { planOf } from './plan';

/** `GET /me`: who this token is, what it may do, and how much of it is left (external-api.md §3). */
@Controller('external/v1/me')
export class MeController {
  constructor(
    private readonly limits: RateLimits,
    private readonly deprecations: Deprecations,
    private readonly config: Config,
  ) {}

  @Get()
  @RequireScopes()
  @Operation({
    id: 'getMe',
    tag: 'Identity',
    summary: 'Who this token is',
    description:
      "Validates a token: the account it acts for, its scopes, the plan's limits, what is left in both rate buckets, " +
      'and routes on their way out. Any valid token may ask.',
    answer: bare(MeRecord),
    returns: 'The token, its account, its limits.',
  })
  async me(@CurrentToken() token: TokenPrincipal, @Req() request: Request): Promise<MeRecord> {
    const { account } = token;
    const relay = await this.limits.look('relay', token.accountId, account.limits.relayPerMinute);
    const metadata = request.draw!.state;
    const mayReadProfile = token.scopes.includes('profile:read');
    return {
      data: {
        account: {
          id: token.accountId,
          username: account.username,
          createdAt: mayReadProfile ? account.createdAt : null,
        },
        token: {
          id: token.tokenId,
          type: token.type,
          name: token.name,
          scopes: token.scopes,
          createdAt: token.createdAt,
          expiresAt: token.expiresAt,
          lastUsedAt: token.lastUsedAt,
          appId: token.appId,
        },
        plan: planOf(this.config, account.limits),
        deprecations: this.deprecations.active(),
      },
      meta: { rateLimit: metadata, rateLimits: { metadata, relay: relay.state } },
    };
  }
}
