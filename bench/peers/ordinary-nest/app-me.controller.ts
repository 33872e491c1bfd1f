import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { AppTokenEntity } from './entities';

const PER_MINUTE = 1_000_000;
const RATE_LIMIT = { limit: PER_MINUTE, remaining: PER_MINUTE, reset: 60 };
const PLAN = {
  name: 'standard',
  limits: {
    metadataPerMinute: PER_MINUTE,
    relayPerMinute: PER_MINUTE,
    maxPageSize: 200,
    maxRelayWaitMs: 30_000,
    maxInvokeTimeoutMs: 28_000,
    maxRequestBytes: 1_048_576,
    maxTokens: 50,
    maxApps: 20,
    maxWebhooks: 20,
    maxStorageBytes: 1_073_741_824,
    maxKeptAnswerBytes: 268_435_456,
    maxDevices: 1_000,
    maxKeyGrants: 10_000,
  },
};

/** Returns as many bytes as `GET /me` of the service, from the token and its account. */
@Controller('external/v1/me')
@UseGuards(AuthGuard('bearer'))
export class AppMeController {
  @Get()
  getMe(@Req() { user }: { user: AppTokenEntity }): object {
    const { account, id, name, scopes, createdAt, expiresAt } = user;
    return {
      data: {
        account: { id: account.id, username: account.username, createdAt: null },
        token: {
          id,
          type: 'pat',
          name,
          scopes,
          createdAt: createdAt.getTime(),
          expiresAt: expiresAt?.getTime() ?? null,
          lastUsedAt: null,
          appId: null,
        },
        plan: PLAN,
        deprecations: [],
      },
      meta: { rateLimit: RATE_LIMIT, rateLimits: { metadata: RATE_LIMIT, relay: RATE_LIMIT } },
    };
  }
}
