import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import { Clock, DAY, HOUR } from '../../common/clock';
import { hashToken, mintToken } from '../../common/secret-token';
import { AccessTokensRepository } from './access-tokens.repository';
import { RefreshTokensRepository } from './refresh-tokens.repository';
import type { TokenAnswer } from './token-record';

const ACCESS_MS = HOUR;
const REFRESH_MS = 30 * DAY;

/** Makes the two tokens of an answer, in the caller's transaction. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly accessTokens: AccessTokensRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly clock: Clock,
  ) {}

  /** @param familyEnd no refresh token goes on beyond it */
  async issue(familyId: string, scopes: Scope[], familyEnd: Date): Promise<TokenAnswer> {
    const now = this.clock.now();
    const createdAt = new Date(now);
    const access = mintToken('svc_oat_');
    const refresh = mintToken('svc_ort_');
    await this.accessTokens.insert({
      hash: hashToken(access),
      familyId,
      scopes,
      createdAt,
      expiresAt: new Date(now + ACCESS_MS),
      revokedAt: null,
    });
    await this.refreshTokens.insert({
      hash: hashToken(refresh),
      familyId,
      createdAt,
      expiresAt: new Date(Math.min(now + REFRESH_MS, familyEnd.getTime())),
      rotatedAt: null,
    });
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1000,
      refresh_token: refresh,
      scope: scopes.join(' '),
    };
  }
}
