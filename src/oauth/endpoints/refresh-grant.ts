import { Injectable } from '@nestjs/common';
import { RecentLookUps, type Scope } from '../../auth';
import { Clock, SECOND } from '../../common/clock';
import { hashToken } from '../../common/secret-token';
import { UnitOfWork } from '../../persistence';
import { InvalidGrant, InvalidScope, type OAuthError } from '../http/oauth-error';
import { requiredText, textOf, type Parameters } from '../http/parameters';
import { RefreshTokensRepository, type RefreshTokenRow } from '../tokens/refresh-tokens.repository';
import { TokenFamiliesRepository } from '../tokens/token-families.repository';
import { TokenIssuer } from '../tokens/token-issuer';
import type { TokenAnswer } from '../tokens/token-record';

/** Two tabs of one app may refresh at once: the slower one is refused, and nothing more. */
const GRACE_MS = 10 * SECOND;

/** A refresh token for the next two tokens (RFC 6749 §6, RFC 9700 §4.14.2). */
@Injectable()
export class RefreshGrant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: RefreshTokensRepository,
    private readonly families: TokenFamiliesRepository,
    private readonly issuer: TokenIssuer,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidRequest, InvalidGrant, InvalidScope */
  async refresh(clientId: string, parameters: Parameters): Promise<TokenAnswer> {
    const hash = hashToken(requiredText(parameters, 'refresh_token'));
    const scope = textOf(parameters, 'scope');
    const result = await this.unitOfWork.run(() => this.rotate(clientId, hash, scope));
    // Thrown here: a refusal may have ended the family, which has to stay so.
    if (result instanceof Error) throw result;
    return result;
  }

  private async rotate(clientId: string, hash: Buffer, scope: string | null): Promise<TokenAnswer | OAuthError> {
    const token = await this.tokens.lock(clientId, hash);
    if (!token) return unusable();
    if (token.rotated_at) return this.refuseReuse(clientId, hash, token);
    if (!isLiveRefreshToken(token, this.clock.now())) return unusable();
    const scopes = scope === null ? token.scopes : narrowed(token.scopes, scope);
    if (!scopes) return new InvalidScope('scope asks for more than was granted.');
    await this.tokens.markRotated(hash, this.clock.date());
    return this.issuer.issue(token.family_id, scopes, token.family_expires_at);
  }

  private async refuseReuse(clientId: string, hash: Buffer, token: RefreshTokenRow): Promise<InvalidGrant> {
    const now = this.clock.date();
    if (now.getTime() - token.rotated_at!.getTime() > GRACE_MS) {
      await this.families.revokeByRefreshToken(clientId, hash, now);
      this.unitOfWork.afterCommit(() => this.lookUps.forget(token.account_id));
    }
    return unusable();
  }
}

export function isLiveRefreshToken(token: RefreshTokenRow, now: number): boolean {
  const ends = Math.min(token.expires_at.getTime(), token.family_expires_at.getTime());
  return token.rotated_at === null && token.revoked_at === null && ends > now;
}

/** Null when `scope` names something that is not among the granted. */
function narrowed(granted: readonly Scope[], scope: string): Scope[] | null {
  const names = [...new Set(scope.split(' ').filter(Boolean))];
  const scopes = granted.filter((name) => names.includes(name));
  return names.length > 0 && scopes.length === names.length ? scopes : null;
}

function unusable(): InvalidGrant {
  return new InvalidGrant('The refresh token is unknown, used, revoked or expired.');
}
