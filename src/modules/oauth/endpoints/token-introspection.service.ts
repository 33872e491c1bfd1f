import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { Scope } from '../../../access/auth';
import { Clock, SECOND } from '../../../common/clock';
import { hashSecretToken } from '../../../common/secret-token';
import { Config } from '../../../core/config';
import { AccessTokensRepository } from '../tokens/access-tokens.repository';
import { RefreshTokensRepository } from '../tokens/refresh-tokens.repository';
import type { IntrospectionAnswerDto } from './introspection-answer.dto';
import { isActiveRefreshToken } from './refresh-token-grant-handler';

interface ActiveToken {
  accountId: string;
  scopes: readonly Scope[];
  createdAt: Date;
  expiresAt: Date;
}

/** Introspects the client's own tokens (RFC 7662). */
@Injectable()
export class TokenIntrospectionService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly accessTokens: AccessTokensRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async introspectToken(clientId: string, token: string): Promise<IntrospectionAnswerDto> {
    const isRefresh = token.startsWith('svc_ort_');
    const hash = hashSecretToken(token);
    const activeToken = isRefresh
      ? await this.findActiveRefreshToken(clientId, hash)
      : await this.findActiveAccessToken(clientId, hash);
    if (!activeToken) return { active: false };
    const { accountId, scopes, createdAt, expiresAt } = activeToken;
    const account = await this.accounts.findAccount(accountId);
    // The account was deleted between the two queries, or it is suspended.
    if (!account || account.suspendedAt) return { active: false };
    return {
      active: true,
      scope: scopes.join(' '),
      client_id: clientId,
      sub: accountId,
      ...(scopes.includes('profile:read') && { username: account.username }),
      ...(!isRefresh && { token_type: 'Bearer' }),
      exp: toUnixSeconds(expiresAt),
      iat: toUnixSeconds(createdAt),
      iss: this.config.publicUrl,
    };
  }

  private async findActiveAccessToken(clientId: string, hash: Buffer): Promise<ActiveToken | null> {
    const [row] = await this.accessTokens.findByHashes([hash]);
    const isActive = row && !row.ended && row.app_id === clientId && row.expires_at.getTime() > this.clock.now();
    if (!isActive) return null;
    const { scopes, created_at: createdAt, expires_at: expiresAt } = row;
    return { accountId: row.account_id!, scopes, createdAt, expiresAt };
  }

  private async findActiveRefreshToken(clientId: string, hash: Buffer): Promise<ActiveToken | null> {
    const row = await this.refreshTokens.find(clientId, hash);
    if (!row || !isActiveRefreshToken(row, this.clock.now())) return null;
    const { account_id: accountId, scopes, created_at: createdAt, expires_at: expiresAt } = row;
    return { accountId, scopes, createdAt, expiresAt };
  }
}

function toUnixSeconds(time: Date): number {
  return Math.floor(time.getTime() / SECOND);
}
