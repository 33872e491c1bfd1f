import { Controller, Get, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { Operation, page } from '../common/http';
import { UsageRecord } from './usage-record';
import { UsageQuery } from './usage.dto';
import { UsageService } from './usage.service';

/** How much of the API an account used (external-api.md §3). */
@Controller('external/v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @RequireScopes('usage:read')
  @Operation({
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Count calls',
    description:
      'Every authenticated call once, in periods of UTC; the last 30 days by day and ungrouped unless asked. Counts are ' +
      'kept for 400 days. A crash of the service loses at most the last second.',
    answer: page(UsageRecord),
    returns: 'A page of periods.',
  })
  list(@CurrentToken() token: TokenPrincipal, @Query() query: UsageQuery) {
    return this.usage.list(token.accountId, query);
  }
}
