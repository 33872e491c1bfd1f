import { hash } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
import { unwrappedResponse, Operation } from '../../common/http';
import { Config } from '../../core/config';
import { DeprecationsService } from '../../access/deprecation';
import { RateLimiter } from '../../access/rate-limiting';
import { MeDto } from './me.dto';
import { getPlan } from './plan';

/** `GET /me`: the identity, permissions and remaining limits of a token (docs/protocol/external-api.md#get-me). */
@Controller('external/v1/me')
export class MeController {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly deprecationsService: DeprecationsService,
    private readonly config: Config,
  ) {}

  @Get()
  @RequireScopes()
  @Operation({
    id: 'getMe',
    tag: 'Identity',
    summary: 'Get the current token',
    description:
      "Validates a token. Returns its account, its scopes, the plan's limits, the state of both rate limits and " +
      'deprecated routes. It needs no scope. The ETag covers everything except `meta` and `lastUsedAt`, which change ' +
      'with every call. The headers of a 304 contain the remaining quota.',
    response: unwrappedResponse(MeDto),
    responseDescription: 'The token with its account and limits.',
  })
  async getMe(
    @CurrentToken() token: TokenPrincipal,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MeDto> {
    const { account } = token;
    const rateLimit = request.rateLimit!;
    const rateLimits = await this.rateLimiter.peekAccountBuckets(token.accountId, account.limits, rateLimit);
    const canReadProfile = token.scopes.includes('profile:read');
    const data: MeDto['data'] = {
      account: {
        id: token.accountId,
        username: account.username,
        createdAt: canReadProfile ? account.createdAt : null,
      },
      token: {
        id: token.tokenId,
        type: token.type,
        name: token.name,
        scopes: token.scopes,
        machineIds: token.machineIds,
        createdAt: token.createdAt,
        expiresAt: token.expiresAt,
        lastUsedAt: token.lastUsedAt,
        appId: token.appId,
      },
      plan: getPlan(this.config, account.limits),
      deprecations: this.deprecationsService.listActiveDeprecations(),
    };
    response.setHeader('ETag', computeEtag(data));
    return { data, meta: { rateLimit: rateLimit.state, rateLimits } };
  }
}

/** Computes a weak ETag. It leaves out the time of last use, which changes with every call. */
function computeEtag(data: MeDto['data']): string {
  const stable = { ...data, token: { ...data.token, lastUsedAt: null } };
  return `W/"${hash('sha256', JSON.stringify(stable), 'base64url').slice(0, 27)}"`;
}
