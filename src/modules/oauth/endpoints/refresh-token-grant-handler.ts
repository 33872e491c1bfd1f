import { Injectable } from '@nestjs/common';
import { TokenCache, type Scope } from '../../../access/auth';
import { Clock, SECOND } from '../../../common/clock';
import { hashSecretToken } from '../../../common/secret-token';
import { UnitOfWork } from '../../../core/database';
import { InvalidGrantError, InvalidScopeError, type OAuthError } from '../http/oauth-error';
import { requireParameter, getParameterText, type FormParameters } from '../http/form-parameters';
import { RefreshTokensRepository, type RefreshTokenRow } from '../tokens/refresh-tokens.repository';
import { TokenFamiliesRepository } from '../tokens/token-families.repository';
import { OAuthTokensService } from '../tokens/oauth-tokens.service';
import type { TokenAnswerDto } from '../tokens/token-answer.dto';

/**
 * Tabs of one app may refresh concurrently. Within this period, the slower request fails without revoking the family.
 */
const REUSE_GRACE_PERIOD_MS = 10 * SECOND;

/** Exchanges refresh tokens for new tokens (RFC 6749 §6, RFC 9700 §4.14.2). */
@Injectable()
export class RefreshTokenGrantHandler {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: RefreshTokensRepository,
    private readonly families: TokenFamiliesRepository,
    private readonly tokensService: OAuthTokensService,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {InvalidRequestError}
   * @throws {InvalidGrantError}
   * @throws {InvalidScopeError}
   */
  async exchangeRefreshToken(clientId: string, formParameters: FormParameters): Promise<TokenAnswerDto> {
    const hash = hashSecretToken(requireParameter(formParameters, 'refresh_token'));
    const scope = getParameterText(formParameters, 'scope');
    const result = await this.unitOfWork.runInTransaction(() => this.rotateRefreshToken(clientId, hash, scope));
    // Thrown after the commit: a failure may have revoked the family, which must persist.
    if (result instanceof Error) throw result;
    return result;
  }

  private async rotateRefreshToken(
    clientId: string,
    hash: Buffer,
    scope: string | null,
  ): Promise<TokenAnswerDto | OAuthError> {
    const token = await this.tokens.findForUpdate(clientId, hash);
    if (!token) return createUnusableRefreshTokenError();
    if (token.rotated_at) return this.handleRefreshTokenReuse(clientId, hash, token);
    if (!isActiveRefreshToken(token, this.clock.now())) return createUnusableRefreshTokenError();
    const scopes = scope === null ? token.scopes : narrowScopes(token.scopes, scope);
    if (!scopes) return new InvalidScopeError('scope asks for more than was granted.');
    await this.tokens.markRotated(hash, this.clock.currentDate());
    return this.tokensService.issueTokens(token.family_id, scopes, token.family_expires_at);
  }

  private async handleRefreshTokenReuse(
    clientId: string,
    hash: Buffer,
    token: RefreshTokenRow,
  ): Promise<InvalidGrantError> {
    const now = this.clock.currentDate();
    if (now.getTime() - token.rotated_at!.getTime() > REUSE_GRACE_PERIOD_MS) {
      await this.families.revokeByRefreshToken(clientId, hash, now);
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(token.account_id));
    }
    return createUnusableRefreshTokenError();
  }
}

export function isActiveRefreshToken(token: RefreshTokenRow, now: number): boolean {
  const expiresAt = Math.min(token.expires_at.getTime(), token.family_expires_at.getTime());
  return token.rotated_at === null && token.revoked_at === null && expiresAt > now;
}

/** Returns null when `scope` names a scope that was not granted. */
function narrowScopes(grantedScopes: readonly Scope[], scope: string): Scope[] | null {
  const names = [...new Set(scope.split(' ').filter(Boolean))];
  const scopes = grantedScopes.filter((name) => names.includes(name));
  return names.length > 0 && scopes.length === names.length ? scopes : null;
}

function createUnusableRefreshTokenError(): InvalidGrantError {
  return new InvalidGrantError('The refresh token is unknown, used, revoked or expired.');
}
