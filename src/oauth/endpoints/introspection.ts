import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { Scope } from '../../auth';
import { Clock, SECOND } from '../../common/clock';
import { hashToken } from '../../common/secret-token';
import { Config } from '../../config';
import { AccessTokensRepository } from '../tokens/access-tokens.repository';
import { RefreshTokensRepository } from '../tokens/refresh-tokens.repository';
import type { IntrospectionAnswer } from './introspection-record';
import { isLiveRefreshToken } from './refresh-grant';

interface LiveToken {
  accountId: string;
  scopes: readonly Scope[];
  createdAt: Date;
  expiresAt: Date;
}

/** What a client may know of its own tokens (RFC 7662). */
@Injectable()
export class Introspection {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accessTokens: AccessTokensRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async introspect(clientId: string, token: string): Promise<IntrospectionAnswer> {
    const isRefresh = token.startsWith('svc_ort_');
    const hash = hashToken(token);
    const live = isRefresh ? await this.refresh(clientId, hash) : await this.access(clientId, hash);
    if (!live) return { active: false };
    const { accountId, scopes, createdAt, expiresAt } = live;
    const account = await this.accounts.find(accountId);
    // It went between the two look-ups, or its credentials open nothing now.
    if (!account || account.suspendedAt) return { active: false };
    return {
      active: true,
      scope: scopes.join(' '),
      client_id: clientId,
      sub: accountId,
      ...(scopes.includes('profile:read') && { username: account.username }),
      ...(!isRefresh && { token_type: 'Bearer' }),
      exp: seconds(expiresAt),
      iat: seconds(createdAt),
      iss: this.config.publicUrl,
    };
  }

  private async access(clientId: string, hash: Buffer): Promise<LiveToken | null> {
    const row = await this.accessTokens.find(hash);
    const isLive = row && !row.ended && row.app_id === clientId && row.expires_at.getTime() > this.clock.now();
    if (!isLive) return null;
    const { scopes, created_at: createdAt, expires_at: expiresAt } = row;
    return { accountId: row.account_id!, scopes, createdAt, expiresAt };
  }

  private async refresh(clientId: string, hash: Buffer): Promise<LiveToken | null> {
    const row = await this.refreshTokens.find(clientId, hash);
    if (!row || !isLiveRefreshToken(row, this.clock.now())) return null;
    const { account_id: accountId, scopes, created_at: createdAt, expires_at: expiresAt } = row;
    return { accountId, scopes, createdAt, expiresAt };
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / SECOND);
}
