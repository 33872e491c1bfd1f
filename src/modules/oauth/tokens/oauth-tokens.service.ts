import { Injectable } from '@nestjs/common';
import type { Scope } from '../../../access/auth';
import { Clock, DAY, HOUR } from '../../../common/clock';
import { hashSecretToken, generateSecretToken } from '../../../common/secret-token';
import { AccessTokensRepository } from './access-tokens.repository';
import { RefreshTokensRepository } from './refresh-tokens.repository';
import type { TokenAnswerDto } from './token-answer.dto';

const ACCESS_TOKEN_LIFETIME_MS = HOUR;
const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY;

/** Issues an access token and a refresh token in the caller's transaction. */
@Injectable()
export class OAuthTokensService {
  constructor(
    private readonly accessTokens: AccessTokensRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly clock: Clock,
  ) {}

  /** @param familyExpiresAt upper bound of the refresh token's expiry */
  async issueTokens(familyId: string, scopes: Scope[], familyExpiresAt: Date): Promise<TokenAnswerDto> {
    const now = this.clock.now();
    const createdAt = new Date(now);
    const accessToken = generateSecretToken('svc_oat_');
    const refreshToken = generateSecretToken('svc_ort_');
    await this.accessTokens.insert({
      hash: hashSecretToken(accessToken),
      familyId,
      scopes,
      createdAt,
      expiresAt: new Date(now + ACCESS_TOKEN_LIFETIME_MS),
      revokedAt: null,
    });
    await this.refreshTokens.insert({
      hash: hashSecretToken(refreshToken),
      familyId,
      createdAt,
      expiresAt: new Date(Math.min(now + REFRESH_TOKEN_LIFETIME_MS, familyExpiresAt.getTime())),
      rotatedAt: null,
    });
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    };
  }
}
