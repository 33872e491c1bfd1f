import { Injectable } from '@nestjs/common';
import { AuditRecorder } from '../../../access/audit';
import type { IssuedToken, TokenIssuer } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { hashSecretToken } from '../../../common/secret-token';
import { UnitOfWork } from '../../../core/database';
import { TokenRevocationService } from '../endpoints/token-revocation.service';
import { AccessTokensRepository } from './access-tokens.repository';
import { RefreshTokensRepository } from './refresh-tokens.repository';

/** Finds and revokes tokens of any app by their text, for operators. */
@Injectable()
export class IssuedOAuthTokensService implements TokenIssuer {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accessTokens: AccessTokensRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly tokenRevocationService: TokenRevocationService,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  findIssuedToken(token: string): Promise<IssuedToken | null> {
    const hash = hashSecretToken(token);
    return token.startsWith('svc_ort_') ? this.findRefreshToken(hash) : this.findAccessToken(hash);
  }

  /** Revokes an access token alone, or the app's sign-in with a refresh token, as the app's own call would. */
  revokeIssuedToken(token: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const found = await this.findIssuedToken(token);
      if (found?.state !== 'active' || found.appId === null) return;
      await this.tokenRevocationService.revokeToken(found.appId, token);
      await this.auditRecorder.recordActs({ act: 'token.revoked', accountId: found.accountId, targetId: found.id });
    });
  }

  private async findAccessToken(hash: Buffer): Promise<IssuedToken | null> {
    const [row] = await this.accessTokens.findByHashes([hash]);
    if (!row) return null;
    // A disabled or suspended app ends its tokens as well, but they would work again with it.
    const isRevoked = row.revoked || row.id === null;
    return {
      kind: 'oauth_access_token',
      accountId: row.account_id,
      id: row.family_id,
      name: row.app_name,
      appId: row.app_id,
      scopes: row.scopes,
      state: isRevoked ? 'revoked' : row.expires_at.getTime() <= this.clock.now() ? 'expired' : 'active',
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      lastUsedAt: row.last_used_at?.getTime() ?? null,
      lastUsedAddress: null,
    };
  }

  /** A rotated token is active until its family is revoked: its text leads to the present tokens of the sign-in. */
  private async findRefreshToken(hash: Buffer): Promise<IssuedToken | null> {
    const row = await this.refreshTokens.findIssued(hash);
    if (!row) return null;
    const isRevoked = row.revoked_at !== null || row.account_id === null;
    const expiresAt = Math.min(row.expires_at.getTime(), row.family_expires_at.getTime());
    return {
      kind: 'oauth_refresh_token',
      accountId: row.account_id,
      id: row.family_id,
      name: row.app_name,
      appId: row.app_id,
      scopes: row.scopes,
      state: isRevoked ? 'revoked' : expiresAt <= this.clock.now() ? 'expired' : 'active',
      createdAt: row.created_at.getTime(),
      expiresAt,
      lastUsedAt: row.last_used_at?.getTime() ?? null,
      lastUsedAddress: null,
    };
  }
}
