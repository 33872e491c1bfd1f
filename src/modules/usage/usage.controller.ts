import { Controller, Get, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
import { Operation, listResponse } from '../../common/http';
import { UsageDto } from './usage.response.dto';
import { GetUsageQueryDto } from './usage.dto';
import { UsageService } from './usage.service';

/** API usage of an account (docs/protocol/external-api.md#usage). */
@Controller('external/v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @RequireScopes('usage:read')
  @Operation({
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Get usage counts',
    description:
      'Counts each authenticated call once, in UTC periods. Defaults to the last 30 days by day, ungrouped. Counts ' +
      'are retained for 400 days by default. A crash of the service loses at most the last second.',
    response: listResponse(UsageDto),
    responseDescription: 'A page of periods.',
  })
  getUsage(@CurrentToken() token: TokenPrincipal, @Query() query: GetUsageQueryDto) {
    return this.usage.listUsage(token.accountId, query);
  }
}
